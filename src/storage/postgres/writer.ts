import type { Connection, Session } from './connection.ts';
import { inDoubt, isLost } from './faults.ts';
import type { Pool } from './pool.ts';

/** Runs a piece of work that only reads. */
export type Read = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** Runs a piece of work that writes, in a transaction; it is on disk when this answers. */
export type Write = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** For whole files and whole tables: nobody waits for these with a request. */
const LONG_MS = 60_000;

/** How work comes to a session: in a transaction of its own, or inside one. */
export interface Access {
  readonly read: Read;
  readonly write: Write;
  /**
   * As `write`, for work of a single statement, which the server commits by itself: one way there
   * and back in place of three. A connection lost meanwhile leaves the change in doubt.
   */
  readonly writeOne: Write;
  /** As `write`, for work that may take a minute. */
  readonly writeLong: Write;
}

/** Work on connections of a pool, each write in a transaction of its own. */
export function accessThrough(pool: Pool): Access {
  return {
    read: (work) => pool.run(work),
    write: (work) => pool.run((connection) => inTransaction(connection, work)),
    writeOne: (work) => pool.run((connection) => committing(() => work(connection))),
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

/** Work inside a transaction that has begun already. */
export function accessInside(session: Session): Access {
  const work: Write = (run) => run(session);
  return { read: work, write: work, writeOne: work, writeLong: work };
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
