import type { AllowanceStorage } from './allowance.ts';
import type { ChangeLog, ChangeTracker } from './change-log.ts';
import type { ChangeStamp } from './change-stamp.ts';
import type { DeliveryStorage } from './delivery.ts';
import type { IdempotencyStorage } from './idempotency.ts';
import type { MailStorage } from './mail.ts';
import type { PhotoFileStorage } from './photo.ts';
import type { Records } from './records.ts';
import type { RetentionStorage } from './retention.ts';
import type { UsageStorage } from './usage.ts';

/**
 * The storage contract that every engine fulfils. What a method writes is on disk when it returns or
 * its promise resolves. Any method can throw `service_unavailable` if it cannot reach its database;
 * nothing was written then, unless the message says that the commit is in doubt. Values are returned
 * exactly as they were stored: int64 to the last digit, text to the last byte.
 */
export interface Storage extends Records {
  readonly changes: ChangeLog;
  readonly deliveries: DeliveryStorage;
  /** Calls `changed` when there are changes that were not there at the last `catchUp`. */
  trackChanges(changed: () => void): ChangeTracker;
  readonly allowances: AllowanceStorage;
  readonly usage: UsageStorage;
  readonly photoFiles: PhotoFileStorage;
  readonly mails: MailStorage;
  readonly retention: RetentionStorage;
  readonly idempotency: IdempotencyStorage;
  /** Runs work in one transaction, which is undone if the work throws. It must not wait for anything but records. */
  transact<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Returns whether a write would have to wait for other writes now. */
  writesWait(): boolean;
  /** Reads a row of every table that requests need. Throws what keeps one from being read. */
  ping(): Promise<void>;
  /**
   * Makes the smallest write to every table that requests need. Throws what prevents it, such as a lock or a missing
   * right; not that the disk is full, since reads are served then.
   */
  tryWrite(): Promise<void>;
  /** Returns why nothing may be served from the database; undefined if it can be used. */
  obstacle(): Promise<Obstacle | undefined>;
  /** Removes every animal, category and order. Keys, webhooks and the change log stay; ids are not reused. */
  reset(stamp: ChangeStamp): Promise<void>;
  /**
   * Does a little of the work that writes leave behind, if any: so reads stay fast, and changes made
   * by a process that was killed get their ids. Takes milliseconds; call it regularly.
   */
  optimize(): Promise<void>;
  /** Measures the database. Asks the file system or the server; takes milliseconds. */
  space(): Promise<DatabaseSpace>;
  /** Returns the current use of connections; undefined for an engine without any. */
  pool(): PoolUse | undefined;
  /** The version of the schema that this release uses. */
  readonly schema: number;
  /** Identifies the database; a copy has the same. */
  readonly id: string;
  close(): Promise<void>;
}

/** The space of a database, in bytes. What the service cannot see, as on a server's machine, is undefined. */
export interface DatabaseSpace {
  readonly size: number;
  /** The file of the write-ahead log, which is emptied but does not shrink by itself. */
  readonly log: number | undefined;
  /** What is free on its disk. */
  readonly free: number | undefined;
}

/** Connections to a database server, and the number of tasks that wait for one. */
export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Observes what happens inside a storage, for the metrics. */
export interface StorageObserver {
  /** Called when a transaction with this number of writes has reached the disk. */
  committed(writes: number): void;
}

/**
 * Why a server must leave a database alone: its data has moved to another one, a later release has
 * changed its schema in a way that this one cannot share, or it is not the one that was opened.
 */
export type Obstacle = 'moved' | 'upgraded' | 'replaced';

/** What keeps this server from serving, as last seen. */
export interface Fence {
  readonly obstacle: Obstacle | undefined;
  isFenced(): boolean;
}
