import { unavailable } from '../../domain/failure.ts';
import type { PoolUse } from '../../domain/storage.ts';
import type { Connection } from './connection.ts';

/** The most callers that may wait for a connection. Others are refused at once. */
const WAITING_MAX = 2_000;
/** The longest wait of `close` for work in progress. */
const CLOSING_MS = 3_000;
const CLOSING_PAUSE_MS = 10;

/** What a connection is taken for. */
export type Purpose = 'read' | 'write';

/** How many connections a pool opens at most. */
export interface PoolLimits {
  /** Connections, besides those that were given up. */
  readonly most: number;
  /** The most for writes, including those that were given up. */
  readonly writesMost: number;
}

interface Waiter {
  readonly purpose: Purpose;
  resolve(connection: Connection): void;
  reject(error: unknown): void;
  /** Its time was up before it got a connection. */
  isLate: boolean;
}

/** Lends connections, and opens one when none is idle and fewer than the most are open. */
export class ConnectionPool {
  readonly #connect: () => Promise<Connection>;
  readonly #limits: PoolLimits;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiter>();
  readonly #lent = new Map<Connection, Purpose>();
  /** Their commits wait on the server; nobody waits for them any more. */
  readonly #givenUp = new Set<Connection>();
  readonly #connecting: Record<Purpose, number> = { read: 0, write: 0 };
  #isClosed = false;

  constructor(connect: () => Promise<Connection>, limits: PoolLimits) {
    this.#connect = connect;
    this.#limits = limits;
  }

  get use(): PoolUse {
    const inUse = this.#inUse + this.#givenUp.size;
    return { inUse, idle: this.#idle.length, waiting: this.#waiting.size };
  }

  get givenUp(): readonly Connection[] {
    return [...this.#givenUp];
  }

  /** Lends a connection, first come first served. Throws `unavailable` if there is none in time. */
  async acquire(waitMs: number, purpose: Purpose): Promise<Connection> {
    if (this.#isClosed || this.#waiting.size >= WAITING_MAX) {
      throw unavailable(new Error('the queue is full'));
    }
    // Waiting writes would only keep reads out.
    if (purpose === 'write' && this.#givenUp.size >= this.#limits.writesMost) {
      throw unavailable(new Error('the server confirms no commits'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const waiter: Waiter = { purpose, resolve, reject, isLate: false };
    this.#waiting.add(waiter);
    this.#serveWaiting();
    const late = setTimeout(() => {
      waiter.isLate = true;
      this.#waiting.delete(waiter);
      reject(unavailable(new Error('no connection was free in time')));
    }, waitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(late);
    }
  }

  release(connection: Connection): void {
    this.#lent.delete(connection);
    this.#givenUp.delete(connection);
    // One that was given up may come back when others have taken its place.
    const hasRoom = this.#inUse + this.#idle.length < this.#limits.most;
    const isOfUse = connection.isAlive() && !connection.isWornOut();
    if (isOfUse && hasRoom && !this.#isClosed) this.#idle.push(connection);
    else connection.end();
    this.#serveWaiting();
  }

  /**
   * Makes room for another connection although the server still works on the commit of this one.
   * `release` follows when that ends.
   */
  giveUp(connection: Connection): void {
    this.#lent.delete(connection);
    this.#givenUp.add(connection);
    this.#serveWaiting();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting) {
      reject(unavailable(new Error('the storage is closed')));
    }
    this.#waiting.clear();
    for (const connection of this.#idle.splice(0)) connection.end();
    const end = performance.now() + CLOSING_MS;
    while (this.#inUse > 0 && performance.now() < end) await Bun.sleep(CLOSING_PAUSE_MS);
    for (const connection of [...this.#lent.keys(), ...this.#givenUp]) connection.end();
  }

  /** A connection that is being opened belongs to its caller already. */
  get #inUse(): number {
    return this.#lent.size + this.#connecting.read + this.#connecting.write;
  }

  #mayLend(purpose: Purpose): boolean {
    if (purpose === 'read') return true;
    const lent = [...this.#lent.values()].filter((each) => each === 'write').length;
    return lent + this.#connecting.write + this.#givenUp.size < this.#limits.writesMost;
  }

  /** Takes an idle connection, and drops those that are closed or useless for writes. */
  #takeIdle(purpose: Purpose): Connection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      const isUseless = purpose === 'write' && connection?.isReadOnly;
      if (connection === undefined || (connection.isAlive() && !isUseless)) return connection;
      connection.end();
    }
  }

  #serveWaiting(): void {
    for (const first of this.#waiting) {
      if (!this.#mayLend(first.purpose)) continue;
      const connection = this.#takeIdle(first.purpose);
      if (connection !== undefined) {
        this.#waiting.delete(first);
        this.#lent.set(connection, first.purpose);
        first.resolve(connection);
      } else if (this.#inUse < this.#limits.most) {
        this.#waiting.delete(first);
        void this.#open(first);
      } else return;
    }
  }

  async #open(waiter: Waiter): Promise<void> {
    const { purpose } = waiter;
    this.#connecting[purpose]++;
    const connection = await this.#connect().catch((error) => waiter.reject(error));
    this.#connecting[purpose]--;
    if (connection === undefined) {
      this.#serveWaiting();
      return;
    }
    this.#lent.set(connection, purpose);
    if (waiter.isLate) this.release(connection);
    else waiter.resolve(connection);
  }
}
