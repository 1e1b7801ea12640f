import type { AllowanceStorage } from './allowance.ts';
import type { KeyStorage } from './api-key.ts';
import type { IdempotencyStorage } from './idempotency.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Records } from './records.ts';

/**
 * What the service keeps, whatever the engine behind it. A method answers at once or later; what
 * it wrote is on disk when it answers. One that cannot reach its database throws `unavailable`;
 * then nothing of that call was kept, unless the message says that the commit is in doubt. Values
 * come back exactly as they went in, int64 to the last digit, text to the last byte.
 */
export interface Storage extends Records {
  /**
   * A number that is another, greater one after any change of the records, by whichever process;
   * undefined where that cannot be told. What was read after it was asked is true of every later
   * moment at which the answer is the same again. Never throws.
   */
  recordsVersion(): MaybePromise<number | undefined>;
  readonly keys: KeyStorage;
  readonly allowances: AllowanceStorage;
  readonly idempotency: IdempotencyStorage;
  /** Answers when the database does, else throws `unavailable`. */
  ping(): MaybePromise<void>;
  /** Whether the database is sealed: its shop has moved away, and nothing here is to be served. */
  isFenced(): MaybePromise<boolean>;
  /** Removes every animal, category and order; keys and ids already given stay as they are. */
  reset(): MaybePromise<void>;
  /**
   * Puts a little in order of what many writes have left behind, if there is anything, so that
   * reading stays quick. Takes milliseconds; meant to be called again and again.
   */
  optimize(): MaybePromise<void>;
  /** How its connections are used at this moment; undefined for an engine that needs none. */
  pool(): PoolUse | undefined;
  close(): MaybePromise<void>;
}

/** Connections to a database server, and the work that waits for one. */
export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Is told what happens inside a storage, for whoever watches over it. */
export interface StorageObserver {
  /** Writes have reached the disk, so many in one transaction. */
  committed(writes: number): void;
}
