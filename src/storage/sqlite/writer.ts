import type { Database } from 'bun:sqlite';
import type { Later } from '../../domain/later.ts';
import type { StorageObserver } from '../../domain/storage.ts';
import { attempt, isBusy } from './connection.ts';

/** Runs a piece of work that writes, in a transaction; it is on disk when this answers. */
export type Write = <T>(work: () => T) => Later<T>;

/** A write that waits for the next commit. */
interface Waiting {
  /** Does its part inside the transaction. What it throws concerns this write alone. */
  work(): void;
  /** Answers it, once the commit has succeeded. */
  succeed(): void;
  fail(error: unknown): void;
}

/** Writes in one transaction at the most: bounds how long readers wait for it. */
const BATCH_MAX = 512;

/**
 * How long to wait for another process that writes, such as an import. Shorter than the 2 s within
 * which the service promises a 503. The wait is between turns of the event loop, so requests that
 * only read do not notice.
 */
const PATIENCE_MS = 1_500;
const RETRY_MS = 5;

/**
 * Group commit: all writes that wait when a turn of the event loop has read its sockets go into
 * one transaction with one fsync, and are answered after it. Each has a savepoint of its own, so
 * one that fails takes nothing of another with it. A single write waits for nothing but its turn.
 */
export function createGroupCommit(database: Database, observer?: StorageObserver): Write {
  const waiting: Waiting[] = [];
  let busySince: number | undefined;
  const begin = database.query('BEGIN IMMEDIATE');
  const commit = database.query('COMMIT');
  const rollback = database.query('ROLLBACK');
  const mark = database.query('SAVEPOINT one');
  const release = database.query('RELEASE one');
  const undo = database.query('ROLLBACK TO one');

  /** Runs a write inside the transaction; gives what it threw. */
  function runOne(write: Waiting): { readonly error: unknown } | undefined {
    mark.run();
    try {
      attempt(write.work);
      release.run();
      return undefined;
    } catch (error) {
      // An error of the disk may have undone the whole transaction; then all fail with that error.
      if (!database.inTransaction) throw error;
      undo.run();
      release.run();
      return { error };
    }
  }

  /** Whether the transaction has begun; if not, the next turn tries again for a while. */
  function hasBegun(): boolean {
    try {
      begin.run();
      busySince = undefined;
      return true;
    } catch (error) {
      const now = performance.now();
      busySince ??= now;
      if (!isBusy(error) || now - busySince > PATIENCE_MS) {
        busySince = undefined;
        throw error;
      }
      setTimeout(flush, RETRY_MS);
      return false;
    }
  }

  function commitAll(batch: readonly Waiting[]): void {
    const failures = new Map<Waiting, unknown>();
    for (const write of batch) {
      const failure = runOne(write);
      if (failure !== undefined) failures.set(write, failure.error);
    }
    commit.run();
    observer?.committed(batch.length - failures.size);
    for (const write of batch) {
      if (failures.has(write)) write.fail(failures.get(write));
      else write.succeed();
    }
  }

  function flush(): void {
    let batch: Waiting[] = waiting;
    try {
      attempt(() => {
        if (!hasBegun()) return;
        batch = waiting.splice(0, BATCH_MAX);
        commitAll(batch);
        if (waiting.length > 0) setImmediate(flush);
      });
    } catch (error) {
      if (database.inTransaction) rollback.run();
      // Where nothing has begun, all that waits has waited long enough.
      const failed = batch === waiting ? waiting.splice(0) : batch;
      if (waiting.length > 0) setImmediate(flush);
      for (const write of failed) write.fail(error);
    }
  }

  return function write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let value: T;
      waiting.push({
        work() {
          value = work();
        },
        succeed: () => resolve(value),
        fail: reject,
      });
      if (waiting.length === 1) setImmediate(flush);
    });
  };
}

/** Runs work at once: for what is inside a transaction already. */
export const writeInside: Write = (work) => work();
