import type { PoolUse } from '../../domain/storage.ts';
import { CONNECTIONS } from '../opening.ts';
import { type Connection, RUNNING_PROCESSES } from './connection.ts';
import { ConnectionPool, type PoolLimits, type Purpose } from './connection-pool.ts';
import { failureOf, inDoubt, isLost, isLostRace } from './faults.ts';

/** Bounds one piece of work. Below the 2 s within which the service promises a 503. */
export const WORK_MS = 1_500;
/** Attempts at work that lost its connection or a race. */
const TRIES_MAX = 5;
const PAUSE_MS = 10;

type Work<T> = (connection: Connection) => Promise<T>;

/** Runs work on a bounded number of connections, each used by one piece of work at a time. */
export interface Pool {
  /**
   * Runs work that reads, and again if it lost its connection or a race: only for work that can be
   * repeated, such as a transaction before its commit. Throws `unavailable` in time, whatever the server
   * does.
   */
  run<T>(work: Work<T>, timeoutMs?: number): Promise<T>;
  /**
   * The same for work that commits. A commit that gets no response in time is in doubt. It is never
   * cancelled, because the server would then show what no standby has: its connection stays open, and
   * counts as a write, until the server responds.
   */
  write<T>(work: Work<T>, timeoutMs?: number): Promise<T>;
  /** Connections whose commits got no response in time. */
  givenUp(): readonly Connection[];
  use(): PoolUse;
  close(): Promise<void>;
}

/**
 * Limits of the pool for requests. One connection is for reads only, so that they find one while writes wait. With a
 * standby that confirms nothing, an instance has at most 16 sessions: these 7, 6 given up, one that tracks changes, one
 * that numbers them, and one that looks for the primary.
 */
export const LIMITS: PoolLimits = { most: CONNECTIONS, writesMost: CONNECTIONS - 1 };
/** For a pool that takes turns on one connection. */
export const ONE: PoolLimits = { most: 1, writesMost: 1 };

/** Creates a pool that connects on demand. */
export function createPool(connect: () => Promise<Connection>, limits = LIMITS): Pool {
  const connections = new ConnectionPool(connect, limits);

  /** When time is up, ends the connection, so that the work fails wherever it waits. */
  async function runOnce<T>(work: Work<T>, until: number, purpose: Purpose): Promise<T> {
    const connection = await connections.acquire(left(until), purpose);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      if (!connection.isCommitting()) connection.end();
      else {
        connections.giveUp(connection);
        late.reject(inDoubt(new Error('the commit was not confirmed in time')));
      }
    }, left(until));
    const done = work(connection).finally(() => {
      clearTimeout(timer);
      connections.release(connection);
    });
    return await Promise.race([done, late.promise]);
  }

  async function run<T>(work: Work<T>, timeoutMs: number, purpose: Purpose): Promise<T> {
    const until = performance.now() + timeoutMs;
    for (let tries = 1; ; tries++) {
      try {
        return await runOnce(work, until, purpose);
      } catch (error) {
        const again = isLost(error) || isLostRace(error);
        const pause = Math.random() * PAUSE_MS * tries;
        if (!again || tries === TRIES_MAX || performance.now() + pause >= until) {
          throw failureOf(error);
        }
        await Bun.sleep(pause);
      }
    }
  }

  return {
    run: (work, timeoutMs = WORK_MS) => run(work, timeoutMs, 'read'),
    write: (work, timeoutMs = WORK_MS) => run(work, timeoutMs, 'write'),
    givenUp: () => connections.givenUp,
    use: () => connections.use,
    close: () => connections.close(),
  };
}

/**
 * Ends connections that were given up if the server has no such process: after a cut in the network, it
 * may have ended them without our knowledge. Asks the server through a pool.
 */
export async function endForgotten(connections: readonly Connection[], pool: Pool): Promise<void> {
  if (connections.length === 0) return;
  const rows = await pool.run((session) =>
    session.query<{ process: string | null }>(RUNNING_PROCESSES),
  );
  const running = new Set(rows.map(({ process }) => process));
  for (const { process, end } of connections) if (!running.has(process)) end();
}

/** Milliseconds until a time, 0 if it has passed. */
const left = (until: number) => Math.max(0, until - performance.now());
