import type { Environment } from '../domain/deployment.ts';
import type { PhotosInBucket } from './damage.ts';
import type { Fence } from './fence.ts';
import type { Row, Table } from './tables.ts';

/** A commit that may or may not be on disk. */
export class CommitInDoubt extends Error {}

/**
 * A database that can be copied as a whole, from one engine to the other. Every call except `close`
 * works inside a transaction. Cells are copied exactly.
 */
export interface PortableDatabase extends PhotosInBucket {
  /** Its address, without a password. */
  readonly name: string;
  readonly environment: Environment;
  /** Starts a snapshot: reads see one state while others write. */
  beginSnapshot(): Promise<void>;
  /**
   * Starts a transaction that blocks all other writers, not readers. Returns false if it could not
   * start within a second.
   */
  beginHold(): Promise<boolean>;
  /** Throws `CommitInDoubt` if the outcome is unknown. */
  commit(): Promise<void>;
  /** Undoes the transaction, if any. Never throws: closing the connection undoes it too. */
  rollBack(): Promise<void>;
  count(table: Table): Promise<number>;
  /** The rows after a row, in key order. */
  page(table: Table, after: Row | undefined, limit: number): Promise<readonly Row[]>;
  /** The highest id ever assigned, or 0. */
  lastId(table: Table): Promise<bigint>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** The next id assigned is higher than this one. */
  setLastId(table: Table, id: bigint): Promise<void>;
  /** Removes every row of every table. Ids already assigned are not reused. */
  clear(): Promise<void>;
  /**
   * Disables every webhook and channel: a copy must send nothing in place of the database it was made from.
   * Returns the number of webhooks that were enabled.
   */
  disableWebhooks(): Promise<number>;
  /** Finds damaged pages and indexes, missing indexes and missing files of photos: a phrase each. */
  findDamage(proceed?: () => Promise<void>): Promise<readonly string[]>;
  findFence(): Promise<Fence | undefined>;
  fence(mark: Fence): Promise<void>;
  liftFence(): Promise<void>;
  close(): Promise<void>;
}

/** The result of a compaction, in bytes. */
export interface Compacted {
  /** The size of the database before it, without a log. */
  readonly before: number;
  readonly after: number;
  /** What it could not do, and what to do instead: a sentence. */
  readonly hint?: string | undefined;
}

/** The statements of `disableWebhooks`. */
export const DISABLE_CHANNELS = `UPDATE channels SET disabled_reason = 'copied'
  WHERE disabled_reason IS NULL`;
export const DISABLE_WEBHOOKS = `UPDATE webhooks SET disabled_reason = 'copied',
  revision = revision + 1 WHERE disabled_reason IS NULL`;
