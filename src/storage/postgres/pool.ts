import type { PoolUse } from '../../domain/storage.ts';
import { CONNECTIONS } from '../opening.ts';
import type { Connection } from './connection.ts';
import { failureOf, isLost, isLostRace } from './faults.ts';
import { Lender } from './lender.ts';

/** Bounds one piece of work. Below the 2 s within which the service promises a 503. */
export const PATIENCE_MS = 1_500;
/** Attempts at work that lost its connection or a race. */
const TRIES_MAX = 5;
const PAUSE_MS = 10;

/** Runs work on a bounded number of connections, each used by one piece of work at a time. */
export interface Pool {
  /**
   * Runs work, and again if it lost its connection or a race: only for work that can be repeated,
   * such as a transaction before its commit. Throws `unavailable` in time, whatever the server does.
   */
  run<T>(work: (connection: Connection) => Promise<T>, patienceMs?: number): Promise<T>;
  use(): PoolUse;
  close(): Promise<void>;
}

/** Creates a pool that connects on demand, to at most `most` connections. */
export function createPool(connect: () => Promise<Connection>, most = CONNECTIONS): Pool {
  const lender = new Lender(connect, most);

  /** Ends the connection when time is up, so that the work fails wherever it waits. */
  async function runOnce<T>(
    work: (connection: Connection) => Promise<T>,
    until: number,
  ): Promise<T> {
    const connection = await lender.borrow(left(until));
    const late = setTimeout(connection.end, left(until));
    try {
      return await work(connection);
    } finally {
      clearTimeout(late);
      lender.giveBack(connection);
    }
  }

  return {
    async run(work, patienceMs = PATIENCE_MS) {
      const until = performance.now() + patienceMs;
      for (let tries = 1; ; tries++) {
        try {
          return await runOnce(work, until);
        } catch (error) {
          const again = isLost(error) || isLostRace(error);
          const pause = Math.random() * PAUSE_MS * tries;
          if (!again || tries === TRIES_MAX || performance.now() + pause >= until) {
            throw failureOf(error);
          }
          await Bun.sleep(pause);
        }
      }
    },
    use: () => lender.use,
    close: () => lender.close(),
  };
}

/** Milliseconds until a time, 0 if it has passed. */
const left = (until: number) => Math.max(0, until - performance.now());
