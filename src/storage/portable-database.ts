import type { Environment } from '../domain/deployment.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { Fence } from './fence.ts';
import type { Row, Table } from './tables.ts';

/** A commit of which nobody can tell whether it is on disk. */
export class CommitInDoubt extends Error {}

/**
 * A database from which a whole shop is taken, or into which one is put. Everything but `close`
 * is done inside a transaction. Cells come and go exactly.
 */
export interface PortableDatabase {
  /** Its address, without a password. */
  readonly name: string;
  readonly environment: Environment;
  /** Begins to read one state of it, while others go on writing. */
  beginSnapshot(): MaybePromise<void>;
  /**
   * Begins and keeps everybody else from writing until the end; others read on. Gives whether
   * that was to be had within a second.
   */
  beginHold(): MaybePromise<boolean>;
  /** Throws `CommitInDoubt` where it cannot be told what became of it. */
  commit(): MaybePromise<void>;
  /** Undoes the transaction, if there is one. Never throws: the engine undoes it by itself else. */
  rollBack(): MaybePromise<void>;
  count(table: Table): MaybePromise<number>;
  /** The rows that follow a row in the order of the key. */
  page(table: Table, after: Row | undefined, limit: number): MaybePromise<readonly Row[]>;
  /** The highest id that was ever given, or 0. */
  lastId(table: Table): MaybePromise<bigint>;
  insert(table: Table, rows: readonly Row[]): MaybePromise<void>;
  /** Lets ids go on after this one. */
  setLastId(table: Table, id: bigint): MaybePromise<void>;
  /** Removes every row of every table; ids already given stay given. */
  clear(): MaybePromise<void>;
  findFence(): MaybePromise<Fence | undefined>;
  fence(seal: Fence): MaybePromise<void>;
  liftFence(): MaybePromise<void>;
  close(): MaybePromise<void>;
}
