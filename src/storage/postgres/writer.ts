import { type BatchWork, createBatcher } from '../../domain/batch.ts';
import { Failure } from '../../domain/failure.ts';
import type { Connection, Session } from './connection.ts';
import { inDoubt, isLost } from './faults.ts';
import { type Pool, WORK_MS } from './pool.ts';

type Run = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

type Work<Item, Result> = (session: Session, items: readonly Item[]) => Promise<readonly Result[]>;

/** Turns one statement for many items into a function for one item. */
type Batched = <Item, Result>(work: Work<Item, Result>) => (item: Item) => Promise<Result>;

/**
 * Batches under way at once. With one, the server idles while its result is parsed; with more,
 * batches are smaller.
 */
const BATCHES_MAX = 2;

/** For whole files and tables, which no request waits for. */
const LONG_MS = 60_000;

/** Runs work in a transaction of its own, or inside an open one. */
export interface Access {
  /** Runs work that only reads. */
  readonly read: Run;
  /** Runs work that writes, in a transaction; it is on disk when this returns. */
  readonly write: Run;
  /** As `read`, for many callers with one item each: one statement reads for all. */
  readonly readTogether: Batched;
  /**
   * As `write`, for many callers with one item each: one statement, which the server commits by
   * itself, in one round trip instead of three. If it fails, each item is written separately, so that
   * a bad item harms no other. A lost connection leaves all in doubt.
   */
  readonly writeTogether: Batched;
  /** As `write`, for work of up to a minute. */
  readonly writeLong: Run;
}

/**
 * Runs work on connections of a pool, each write in its own transaction. Calls `committed` after each
 * commit.
 */
export function accessThrough(pool: Pool, committed: () => void = () => {}): Access {
  async function noticed<T>(write: Promise<T>): Promise<T> {
    const result = await write;
    committed();
    return result;
  }

  const commitOf =
    <Item, Result>(work: Work<Item, Result>): BatchWork<Item, Result> =>
    (items, waitedMs) =>
      noticed(
        pool.write(
          (connection) => committing(connection, () => work(connection, items)),
          WORK_MS - waitedMs,
        ),
      );

  return {
    read: (work) => pool.run(work),
    write: (work) => noticed(pool.write((connection) => inTransaction(connection, work))),
    readTogether: (work) =>
      createBatcher(
        (items, waitedMs) => pool.run((connection) => work(connection, items), WORK_MS - waitedMs),
        BATCHES_MAX,
      ),
    writeTogether: (work) => createBatcher(separatelyOnError(commitOf(work)), BATCHES_MAX),
    writeLong: (work) =>
      noticed(
        pool.write(
          (connection) =>
            inTransaction(connection, async (session) => {
              await session.run(`SET LOCAL statement_timeout = ${LONG_MS}`);
              return await work(session);
            }),
          LONG_MS,
        ),
      ),
  };
}

/** The same, but after an error that an item may have caused, each item is committed separately. */
function separatelyOnError<Item, Result>(commit: BatchWork<Item, Result>): BatchWork<Item, Result> {
  return async (items, waitedMs) => {
    try {
      return await commit(items, waitedMs);
    } catch (error) {
      // A `Failure` concerns the database. Any other error undid the whole statement.
      if (error instanceof Failure || items.length === 1) throw error;
      return items.map(async (item) => {
        const [result] = await commit([item], waitedMs);
        if (result === undefined) throw new Error('no result for the only item');
        return result;
      });
    }
  };
}

/** Runs work inside an open transaction. */
export function accessInside(session: Session): Access {
  const work: Run = (run) => run(session);
  const together: Batched = (run) => createBatcher((items) => run(session, items), 1);
  return {
    read: work,
    write: work,
    writeLong: work,
    readTogether: together,
    writeTogether: together,
  };
}

/** Runs work between BEGIN and COMMIT. A failure before the commit leaves nothing. */
export async function inTransaction<T>(
  connection: Connection,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  await connection.run('BEGIN');
  let result: T;
  try {
    result = await work(connection);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  await committing(connection, () => connection.run('COMMIT'));
  return result;
}

/** Sends a commit. It must not be repeated if no response came. */
async function committing<T>(connection: Connection, send: () => Promise<T>): Promise<T> {
  try {
    return await connection.commit(send);
  } catch (error) {
    throw isLost(error) ? inDoubt(error) : error;
  }
}

async function rollBack(connection: Connection): Promise<void> {
  if (!connection.isAlive()) return;
  try {
    await connection.run('ROLLBACK');
  } catch {
    // The server rolls back when a connection ends.
    connection.end();
  }
}
