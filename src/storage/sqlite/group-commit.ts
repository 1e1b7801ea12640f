import { drainMicrotasks } from 'bun:jsc';
import type { Database } from 'bun:sqlite';
import {
  type BatchWrite,
  createBatchTransaction,
  type TransactionObserver,
} from './batch-transaction.ts';
import { attempt } from './faults.ts';

/**
 * Runs `work` in a transaction; its result is returned once it is on disk. It may run twice, the
 * first time undone, so it must have no effect outside the database.
 */
export type Write = <T>(work: () => T) => Promise<T>;

/** Most writes in one transaction: bounds how long readers wait for it. */
const BATCH_MAX = 512;
/** The pause between tries while another process writes. */
const RETRY_MS = 5;
/**
 * The longest wait of a write for the end of its turn. With more than 1,024 busy connections the
 * runtime takes up to 50,000 requests in one turn, so writes would wait for more than a second.
 */
const TURN_MAX_MS = 10;

/**
 * Group commit: the writes of one turn of the event loop, and of the turns after it while each
 * brings more, share one transaction and one fsync, and are answered after it. A write that fails
 * does not affect the others. A single write waits only for the end of its turn.
 *
 * A batch runs without savepoints at first: while one is open, SQLite copies everything that is
 * written, a third of the cost of an insert. If one of several writes fails, which is rare, the
 * transaction is undone and the batch runs again with a savepoint for each write.
 *
 * `now` returns milliseconds from any origin.
 */
export function createGroupCommit(
  database: Database,
  observer?: TransactionObserver,
  now = () => performance.now(),
): Write & { isBlocked(): boolean } {
  const transaction = createBatchTransaction(database, observer, now);
  const waiting: BatchWrite[] = [];
  let waitingBefore = 0;
  /** Length of the batch at the head of the queue that was undone because one of its writes failed. */
  let suspects = 0;
  let flushDueAt = 0;

  function commit(batch: readonly BatchWrite[], apart: boolean): void {
    if (apart) transaction.commitApart(batch);
    else if (!transaction.commitTogether(batch)) {
      waiting.unshift(...batch);
      suspects = batch.length;
    }
  }

  function flush(): void {
    if (waiting.length === 0) return;
    let batch = waiting;
    try {
      attempt(() => {
        if (!transaction.begin()) {
          setTimeout(flush, RETRY_MS);
          return;
        }
        const apart = suspects > 0;
        batch = waiting.splice(0, apart ? suspects : BATCH_MAX);
        suspects = 0;
        commit(batch, apart);
        if (waiting.length > 0) setImmediate(flush);
      });
    } catch (error) {
      transaction.rollBack();
      // If no transaction was started, all waiting writes have waited long enough.
      const failed = batch === waiting ? waiting.splice(0) : batch;
      suspects = 0;
      if (waiting.length > 0) setImmediate(flush);
      for (const write of failed) write.fail(error);
    }
  }

  /** Waits for one more turn while each brings more writes: half as many commits under load. */
  function flushOrWait(): void {
    const more = waiting.length > waitingBefore && waiting.length < BATCH_MAX;
    waitingBefore = waiting.length;
    if (more) setImmediate(flushOrWait);
    else flush();
  }

  function enqueue(write: BatchWrite): void {
    waiting.push(write);
    const queuedAt = now();
    if (waiting.length === 1) {
      flushDueAt = queuedAt + TURN_MAX_MS;
      waitingBefore = 1;
      setImmediate(flushOrWait);
    } else if (queuedAt > flushDueAt && !transaction.isBlocked()) {
      flushDueAt = queuedAt + TURN_MAX_MS;
      // None may run inside the transaction, where it would read what is not committed.
      drainMicrotasks();
      flush();
    }
  }

  function write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let value: T;
      enqueue({
        work() {
          value = work();
        },
        succeed: () => resolve(value),
        fail: reject,
      });
    });
  }

  return Object.assign(write, { isBlocked: transaction.isBlocked });
}
