import type { Environment } from '../domain/deployment.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { Fence } from './fence.ts';
import type { Row, Table } from './tables.ts';

/** A commit that may or may not be on disk. */
export class CommitInDoubt extends Error {}

/**
 * A database that can be copied as a whole, from one engine to the other. Every call except `close`
 * works inside a transaction. Cells are copied exactly.
 */
export interface PortableDatabase {
  /** Its address, without a password. */
  readonly name: string;
  readonly environment: Environment;
  /** Starts a snapshot: reads see one state while others write. */
  beginSnapshot(): MaybePromise<void>;
  /**
   * Starts a transaction that blocks all other writers, not readers. Returns false if it could not
   * start within a second.
   */
  beginHold(): MaybePromise<boolean>;
  /** Throws `CommitInDoubt` if the outcome is unknown. */
  commit(): MaybePromise<void>;
  /** Undoes the transaction, if any. Never throws: closing the connection undoes it too. */
  rollBack(): MaybePromise<void>;
  count(table: Table): MaybePromise<number>;
  /** The rows after a row, in key order. */
  page(table: Table, after: Row | undefined, limit: number): MaybePromise<readonly Row[]>;
  /** The highest id ever assigned, or 0. */
  lastId(table: Table): MaybePromise<bigint>;
  insert(table: Table, rows: readonly Row[]): MaybePromise<void>;
  /** The next id assigned is higher than this one. */
  setLastId(table: Table, id: bigint): MaybePromise<void>;
  /** Removes every row of every table. Ids already assigned are not reused. */
  clear(): MaybePromise<void>;
  /**
   * Disables every webhook: a copy must not send events in place of the database it was made from.
   * Returns the number that was enabled.
   */
  disableWebhooks(): MaybePromise<number>;
  findFence(): MaybePromise<Fence | undefined>;
  fence(mark: Fence): MaybePromise<void>;
  liftFence(): MaybePromise<void>;
  close(): MaybePromise<void>;
}

/** What a compaction came to, in bytes. */
export interface Compacted {
  /** The size of the database before it, without a log. */
  readonly before: number;
  readonly after: number;
  /** What it could not do, and what would: a sentence. */
  readonly hint?: string | undefined;
}

/** The statement of `disableWebhooks`. */
export const DISABLE_WEBHOOKS = `UPDATE webhooks SET disabled_reason = 'copied',
  revision = revision + 1 WHERE disabled_reason IS NULL`;
