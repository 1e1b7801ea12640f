import type { Database } from 'bun:sqlite';
import type { Read } from './access.ts';
import { attempt } from './faults.ts';
import type { WalIndex } from './wal-index.ts';

/** Reads that share transactions. */
export interface SharedReads {
  readonly read: Read;
  /** The same, at once. */
  readAtOnce<T>(query: () => T): T;
  /** Grows with each commit of any process; without an index, with each call. */
  commits(): number;
  /** Ends the transaction. Called before the connection starts another one. */
  end(): void;
  /** Ends the transaction, and shares no more. Called before the connection is closed. */
  close(): void;
}

/**
 * While the write-ahead log has more pages than this, reads share nothing: it starts again from its
 * beginning only at a moment when nobody reads from it.
 */
const LOG_PAGES_MAX = 4_000;

/**
 * Lets the reads of one turn of the event loop share a transaction. SQLite locks and unlocks the WAL
 * index for each transaction, which takes as long as reading a row: 2 µs.
 *
 * A transaction sees the database as it was at its first read. Every commit of every process changes
 * the header of the WAL index before it is acknowledged, so the transaction ends when that differs.
 * The runtime reads a connection in the turn that accepts it: requests of one turn may have been sent
 * one after the other. Without an index, each read is a transaction of its own.
 */
export function createSharedReads(database: Database, index: WalIndex | undefined): SharedReads {
  const begin = database.query('BEGIN');
  const commit = database.query('COMMIT');
  const rollback = database.query('ROLLBACK');
  let isOpen = false;
  let isClosed = false;
  let commits = 0;

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    // An error of the disk may have ended it already.
    if (!database.inTransaction) return;
    try {
      commit.run();
    } catch {
      // Nothing was written. The file cannot be read, as the next read will say to its caller.
      if (database.inTransaction) rollBack();
    }
  }

  function rollBack(): void {
    try {
      rollback.run();
    } catch {
      // Then no read can start a transaction, and each fails with the reason.
    }
  }

  /** Ends the transaction if there has been a commit since. */
  function noteCommits(): number {
    // The index is unmapped when the connection is closed.
    if (isClosed || index === undefined || index.hasChanged()) {
      end();
      commits++;
    }
    return commits;
  }

  function share(): void {
    noteCommits();
    if (isOpen || isClosed || index === undefined || index.pages() > LOG_PAGES_MAX) return;
    begin.run();
    isOpen = true;
    setImmediate(end);
  }

  const readAtOnce = <T>(query: () => T) =>
    attempt(() => {
      share();
      return query();
    });

  return {
    end,
    close() {
      end();
      isClosed = true;
    },
    commits: noteCommits,
    readAtOnce,
    read: async (query) => readAtOnce(query),
  };
}
