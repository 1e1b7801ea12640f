import type { Database } from 'bun:sqlite';
import type { StorageObserver } from '../../domain/storage.ts';
import { attempt, isBusy } from './faults.ts';

/** A write of a batch. */
export interface BatchWrite {
  /** Runs inside the transaction, a second time if the first was undone. An error concerns only it. */
  work(): void;
  /** Called once the commit has succeeded. */
  succeed(): void;
  fail(error: unknown): void;
}

/** Learns of the transactions of a connection. */
export interface TransactionObserver extends StorageObserver {
  /** A transaction is about to start on the connection. */
  starting?(): void;
}

/**
 * The wait for another process that writes, such as an import. Shorter than the 2 s within
 * which the service promises a 503. The wait is between turns of the event loop, so reads continue.
 */
const WAIT_MAX_MS = 1_500;

/** Creates the transactions of a group commit. `now` returns milliseconds from any origin. */
export function createBatchTransaction(
  database: Database,
  observer: TransactionObserver | undefined,
  now: () => number,
) {
  let blockedSince: number | undefined;
  const begin = database.query('BEGIN IMMEDIATE');
  const commit = database.query('COMMIT');
  const rollback = database.query('ROLLBACK');
  const mark = database.query('SAVEPOINT one');
  const release = database.query('RELEASE one');
  const undo = database.query('ROLLBACK TO one');

  /** Runs a write with its own savepoint; returns the error that it threw. */
  function runApart(write: BatchWrite): { readonly error: unknown } | undefined {
    mark.run();
    try {
      attempt(write.work);
      release.run();
      return undefined;
    } catch (error) {
      // A disk error may have undone the whole transaction; then all writes fail with that error.
      if (!database.inTransaction) throw error;
      undo.run();
      release.run();
      return { error };
    }
  }

  return {
    /**
     * Starts a transaction. Returns false while another process writes, and throws once that has lasted
     * for the longest wait of a write.
     */
    begin(): boolean {
      observer?.starting?.();
      try {
        begin.run();
        blockedSince = undefined;
        return true;
      } catch (error) {
        const triedAt = now();
        blockedSince ??= triedAt;
        if (isBusy(error) && triedAt - blockedSince <= WAIT_MAX_MS) return false;
        blockedSince = undefined;
        throw error;
      }
    },
    /** True after a `begin` that returned false. */
    isBlocked: () => blockedSince !== undefined,
    /** Runs and commits the batch. Returns false when a write failed: run all of it apart then. */
    commitTogether(batch: readonly BatchWrite[]): boolean {
      try {
        for (const write of batch) write.work();
      } catch (error) {
        if (batch.length === 1 || !database.inTransaction) throw error;
        rollback.run();
        return false;
      }
      commit.run();
      observer?.committed(batch.length);
      for (const write of batch) write.succeed();
      return true;
    },
    /** Runs each write with its own savepoint, and commits those that succeed. */
    commitApart(batch: readonly BatchWrite[]): void {
      const failures = new Map<BatchWrite, unknown>();
      for (const write of batch) {
        const failure = runApart(write);
        if (failure !== undefined) failures.set(write, failure.error);
      }
      commit.run();
      observer?.committed(batch.length - failures.size);
      for (const write of batch) {
        if (failures.has(write)) write.fail(failures.get(write));
        else write.succeed();
      }
    },
    /** Undoes an unfinished transaction. */
    rollBack(): void {
      try {
        if (database.inTransaction) rollback.run();
      } catch {
        // The database is closed, or cannot be read: the next transaction will say so to its caller.
      }
    },
  };
}
