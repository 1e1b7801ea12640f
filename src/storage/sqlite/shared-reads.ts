import type { Database } from 'bun:sqlite';
import { attempt } from './faults.ts';
import type { WalIndexHeader } from './wal-index.ts';

/** Runs queries. They see every commit of every process that ended before the call. */
export type Read = <T>(query: () => T) => T;

/** Reads that share transactions. */
export interface SharedReads {
  readonly read: Read;
  /** Ends the transaction. Called before the connection starts another one, and before it is closed. */
  end(): void;
}

/**
 * While the write-ahead log has more pages than this, reads share nothing: it can only start again
 * from its beginning at a moment when no process reads from it.
 */
const LOG_PAGES_MAX = 4_000;

/**
 * Lets the reads of one turn of the event loop share a transaction. SQLite locks and unlocks the WAL
 * index for each transaction, and that takes as long as reading a row: 2 µs.
 *
 * A transaction sees the database as it was at its first read. The header of the WAL index changes
 * with every commit of every process, so the transaction is used only while the header stays the same.
 * Without a header each read is a transaction of its own.
 */
export function createSharedReads(
  database: Database,
  header: () => WalIndexHeader | undefined,
): SharedReads {
  const begin = database.query('BEGIN');
  const commit = database.query('COMMIT');
  const rollback = database.query('ROLLBACK');
  let isOpen = false;

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

  function share(found: WalIndexHeader): void {
    if (found.hasChanged()) end();
    if (isOpen || found.pages() > LOG_PAGES_MAX) return;
    begin.run();
    isOpen = true;
    setImmediate(end);
  }

  return {
    end,
    read: (query) =>
      attempt(() => {
        const found = header();
        if (found !== undefined) share(found);
        return query();
      }),
  };
}
