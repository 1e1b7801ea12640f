import { Failure } from '../../domain/failure.ts';
import { type BatchWork, createBatcher } from './batch.ts';
import type { Connection, Session } from './connection.ts';
import { inDoubt, isLost } from './faults.ts';
import { PATIENCE_MS, type Pool } from './pool.ts';

/** Runs a piece of work that only reads. */
export type Read = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** Runs a piece of work that writes, in a transaction; it is on disk when this answers. */
export type Write = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

type Work<Item, Result> = (session: Session, items: readonly Item[]) => Promise<readonly Result[]>;

/** Turns work of a single statement for many items into work for one of them. */
export type Batched = <Item, Result>(work: Work<Item, Result>) => (item: Item) => Promise<Result>;

/**
 * Batches of reads and of writes under way at once. With one, the server waits while its answer is
 * taken apart; with more, batches are smaller.
 */
const BATCHES_MAX = 2;

/** For whole files and whole tables: nobody waits for these with a request. */
const LONG_MS = 60_000;

/** How work comes to a session: in a transaction of its own, or inside one. */
export interface Access {
  readonly read: Read;
  readonly write: Write;
  /** As `read`, for what many want at once, each one item: one statement reads for all of them. */
  readonly readTogether: Batched;
  /**
   * As `write`, for what many want at once: one statement for all of them, which the server commits
   * by itself, one way there and back in place of three. Where it fails each item is written apart, so
   * one that cannot be harms no other. A connection lost meanwhile leaves all in doubt.
   */
  readonly writeTogether: Batched;
  /** As `write`, for work that may take a minute. */
  readonly writeLong: Write;
}

/** Work on connections of a pool, each write in a transaction of its own. */
export function accessThrough(pool: Pool): Access {
  const commitOf =
    <Item, Result>(work: Work<Item, Result>): BatchWork<Item, Result> =>
    (items, waitedMs) =>
      pool.run((connection) => committing(() => work(connection, items)), PATIENCE_MS - waitedMs);

  return {
    read: (work) => pool.run(work),
    write: (work) => pool.run((connection) => inTransaction(connection, work)),
    readTogether: (work) =>
      createBatcher(
        (items, waitedMs) =>
          pool.run((connection) => work(connection, items), PATIENCE_MS - waitedMs),
        BATCHES_MAX,
      ),
    writeTogether: (work) => createBatcher(apartWhereItFails(commitOf(work)), BATCHES_MAX),
    writeLong: (work) =>
      pool.run(
        (connection) =>
          inTransaction(connection, async (session) => {
            await session.run(`SET LOCAL statement_timeout = ${LONG_MS}`);
            return await work(session);
          }),
        LONG_MS,
      ),
  };
}

/** The same, but where an item can be at fault it is tried again for each alone. */
function apartWhereItFails<Item, Result>(commit: BatchWork<Item, Result>): BatchWork<Item, Result> {
  return async (items, waitedMs) => {
    try {
      return await commit(items, waitedMs);
    } catch (error) {
      // A failure is of the database. Any other error undid the statement as a whole.
      if (error instanceof Failure || items.length === 1) throw error;
      return items.map(async (item) => {
        const [result] = await commit([item], waitedMs);
        if (result === undefined) throw new Error('no result for the only item');
        return result;
      });
    }
  };
}

/** Work inside a transaction that has begun already. */
export function accessInside(session: Session): Access {
  const work: Write = (run) => run(session);
  const together: Batched = (run) => createBatcher((items) => run(session, items), 1);
  return {
    ...{ read: work, write: work, writeLong: work },
    ...{ readTogether: together, writeTogether: together },
  };
}

/** Runs work between BEGIN and COMMIT. Until the commit is sent, a failure leaves nothing. */
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
  await committing(() => connection.run('COMMIT'));
  return result;
}

/** Sends what commits; must not be begun again where no answer came. */
async function committing<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw isLost(error) ? inDoubt(error) : error;
  }
}

async function rollBack(connection: Connection): Promise<void> {
  if (!connection.isAlive()) return;
  try {
    await connection.run('ROLLBACK');
  } catch {
    // The server undoes what is left open on a connection that ends.
    connection.end();
  }
}
