import type { Database } from 'bun:sqlite';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { StorageObserver } from '../../domain/storage.ts';
import { attempt, isBusy } from './connection.ts';

/**
 * Runs a piece of work that writes, in a transaction; it is on disk when this answers. It may
 * run twice, the first time undone, so it leaves its traces in the database alone.
 */
export type Write = <T>(work: () => T) => MaybePromise<T>;

/** A write that waits for the next commit. */
interface Waiting {
  /**
   * Does its part inside the transaction; once more, where the first time was undone. What it
   * throws concerns this write alone.
   */
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
 * How long a write may wait for the end of its turn. Where more than 1,024 connections are busy, the
 * runtime takes up to 50,000 requests in one turn, so writes would wait for more than a second.
 */
const TURN_MAX_MS = 10;

/**
 * Group commit: the writes that come in one turn of the event loop, and in the turns after it as
 * long as each brings more, go into one transaction with one fsync, and are answered after it. One
 * that fails takes nothing of another with it. A single write waits for nothing but its turn.
 *
 * A batch first runs without savepoints: while one is open SQLite keeps copies of what is written,
 * a third of what an insert costs. Where a write of several fails, which is rare, the transaction
 * is undone and the batch runs once more with a savepoint for each.
 *
 * `now` gives the time in milliseconds, of which differences alone count.
 */
export function createGroupCommit(
  database: Database,
  observer?: StorageObserver,
  now = () => performance.now(),
): Write {
  const waiting: Waiting[] = [];
  /** How many waited at the turn before. */
  let gathered = 0;
  /** How many of the first that wait have run already, and one of them failed. */
  let suspects = 0;
  let busySince: number | undefined;
  let flushDueAt = 0;
  const begin = database.query('BEGIN IMMEDIATE');
  const commit = database.query('COMMIT');
  const rollback = database.query('ROLLBACK');
  const mark = database.query('SAVEPOINT one');
  const release = database.query('RELEASE one');
  const undo = database.query('ROLLBACK TO one');

  /** Runs a write with a savepoint of its own; gives what it threw. */
  function runApart(write: Waiting): { readonly error: unknown } | undefined {
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
      const triedAt = now();
      busySince ??= triedAt;
      if (!isBusy(error) || triedAt - busySince > PATIENCE_MS) {
        busySince = undefined;
        throw error;
      }
      setTimeout(flush, RETRY_MS);
      return false;
    }
  }

  /** Commits what succeeds of a batch, and answers each of its writes. */
  function commitApart(batch: readonly Waiting[]): void {
    const failures = new Map<Waiting, unknown>();
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
  }

  /** Commits a batch and answers its writes; or undoes it, where one fails, to run it apart. */
  function commitTogether(batch: readonly Waiting[]): void {
    try {
      for (const write of batch) write.work();
    } catch (error) {
      if (batch.length === 1 || !database.inTransaction) throw error;
      rollback.run();
      waiting.unshift(...batch);
      suspects = batch.length;
      return;
    }
    commit.run();
    observer?.committed(batch.length);
    for (const write of batch) write.succeed();
  }

  function flush(): void {
    if (waiting.length === 0) return;
    let batch: Waiting[] = waiting;
    try {
      attempt(() => {
        if (!hasBegun()) return;
        const apart = suspects > 0;
        batch = waiting.splice(0, apart ? suspects : BATCH_MAX);
        suspects = 0;
        if (apart) commitApart(batch);
        else commitTogether(batch);
        if (waiting.length > 0) setImmediate(flush);
      });
    } catch (error) {
      if (database.inTransaction) rollback.run();
      // Where nothing has begun, all that waits has waited long enough.
      const failed = batch === waiting ? waiting.splice(0) : batch;
      suspects = 0;
      if (waiting.length > 0) setImmediate(flush);
      for (const write of failed) write.fail(error);
    }
  }

  /** Waits for one more turn as long as each brings more: half as many commits under load. */
  function gather(): void {
    const more = waiting.length > gathered && waiting.length < BATCH_MAX;
    gathered = waiting.length;
    if (more) setImmediate(gather);
    else flush();
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
      const askedAt = now();
      if (waiting.length === 1) {
        flushDueAt = askedAt + TURN_MAX_MS;
        gathered = 1;
        setImmediate(gather);
      } else if (askedAt > flushDueAt && busySince === undefined) {
        flushDueAt = askedAt + TURN_MAX_MS;
        flush();
      }
    });
  };
}

/** Runs work at once: for what is inside a transaction already. */
export const writeInside: Write = (work) => work();
