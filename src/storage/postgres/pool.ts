import { unavailable } from '../../domain/failure.ts';
import type { PoolUse } from '../../domain/storage.ts';
import type { Connection } from './connection.ts';
import { failureOf, isLost, isLostRace } from './faults.ts';

/** Connections of an instance: ten instances stay under the 100 that PostgreSQL lets in. */
const CONNECTIONS_MAX = 8;
/** Pieces of work that wait for a connection; beyond, they are refused at once. */
const WAITING_MAX = 2_000;
/** From asking to answering, shorter than the 2 s within which the service promises a 503. */
export const PATIENCE_MS = 1_500;
/** How often a piece of work is begun that lost its connection or a race. */
const TRIES_MAX = 5;
const PAUSE_MS = 10;
/** How long the end waits for what is under way. */
const CLOSING_MS = 3_000;

/** Lends connections, each to one piece of work at a time. */
export interface Pool {
  /**
   * Runs work that may be begun again when the connection is lost or a race, such as a
   * transaction before its commit. Throws `unavailable` in time, whatever the server does.
   */
  run<T>(work: (connection: Connection) => Promise<T>, patienceMs?: number): Promise<T>;
  use(): PoolUse;
  close(): Promise<void>;
}

interface Waiting {
  resolve(connection: Connection): void;
  reject(error: unknown): void;
  /** It was told already that there was none in time. */
  hasLeft: boolean;
}

/** Makes a pool that connects when it must, so many times at once at the most. */
export function createPool(connect: () => Promise<Connection>, most = CONNECTIONS_MAX): Pool {
  const idle: Connection[] = [];
  const waiting = new Set<Waiting>();
  const lent = new Set<Connection>();
  let connecting = 0;
  let closed = false;

  /** A connection that lay idle; those that the server closed meanwhile are dropped. */
  function takeIdle(): Connection | undefined {
    let connection = idle.pop();
    while (connection?.isAlive() === false) connection = idle.pop();
    return connection;
  }

  /** Serves those who wait, the first first, as far as there are connections or room for more. */
  function serveWaiting(): void {
    for (const first of waiting) {
      const connection = takeIdle();
      if (connection !== undefined) {
        waiting.delete(first);
        lent.add(connection);
        first.resolve(connection);
      } else if (lent.size + connecting < most) {
        waiting.delete(first);
        void open(first);
      } else return;
    }
  }

  async function open(asking: Waiting): Promise<void> {
    connecting++;
    try {
      const connection = await connect();
      lent.add(connection);
      if (asking.hasLeft) giveBack(connection);
      else asking.resolve(connection);
    } catch (error) {
      asking.reject(error);
    } finally {
      connecting--;
      serveWaiting();
    }
  }

  function giveBack(connection: Connection): void {
    lent.delete(connection);
    if (closed) connection.end();
    else if (connection.isAlive()) idle.push(connection);
    serveWaiting();
  }

  async function borrow(until: number): Promise<Connection> {
    if (closed || waiting.size >= WAITING_MAX) throw unavailable(new Error('the queue is full'));
    const unmetered = waiting.size === 0 ? takeIdle() : undefined;
    if (unmetered !== undefined) {
      lent.add(unmetered);
      return unmetered;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const asked: Waiting = { resolve, reject, hasLeft: false };
    waiting.add(asked);
    serveWaiting();
    const late = setTimeout(() => {
      asked.hasLeft = true;
      waiting.delete(asked);
      reject(unavailable(new Error('no connection was free in time')));
    }, left(until));
    try {
      return await promise;
    } finally {
      clearTimeout(late);
    }
  }

  return {
    run: createRun(borrow, giveBack),
    // One that is being opened belongs to somebody who waits for nothing else.
    use: () => ({ inUse: lent.size + connecting, idle: idle.length, waiting: waiting.size }),
    close,
  };

  async function close(): Promise<void> {
    closed = true;
    for (const { reject } of waiting) reject(unavailable(new Error('the storage is closed')));
    waiting.clear();
    for (const connection of idle.splice(0)) connection.end();
    const end = performance.now() + CLOSING_MS;
    while (lent.size + connecting > 0 && performance.now() < end) await Bun.sleep(PAUSE_MS);
    for (const connection of lent) connection.end();
  }
}

/** How many milliseconds are left until a time: none where a busy process has missed it. */
const left = (until: number) => Math.max(0, until - performance.now());

function createRun(
  borrow: (until: number) => Promise<Connection>,
  giveBack: (connection: Connection) => void,
): Pool['run'] {
  /** Ends the connection when time is up, so that the work fails wherever it waits. */
  async function runOnce<T>(
    work: (connection: Connection) => Promise<T>,
    until: number,
  ): Promise<T> {
    const connection = await borrow(until);
    const late = setTimeout(connection.end, left(until));
    try {
      return await work(connection);
    } finally {
      clearTimeout(late);
      giveBack(connection);
    }
  }

  return async function run(work, patienceMs = PATIENCE_MS) {
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
  };
}
