import { unavailable } from '../../domain/failure.ts';
import type { PoolUse } from '../../domain/storage.ts';
import type { Connection } from './connection.ts';

/** Borrowers that may wait for a connection. More are refused at once. */
const WAITING_MAX = 2_000;
/** The longest wait of `close` for work in progress. */
const CLOSING_MS = 3_000;
const CLOSING_PAUSE_MS = 10;

interface Borrower {
  resolve(connection: Connection): void;
  reject(error: unknown): void;
  /** Its time was up before it got a connection. */
  hasLeft: boolean;
}

/** Lends connections, and opens one when none is idle and fewer than `most` are open. */
export class Lender {
  readonly #connect: () => Promise<Connection>;
  readonly #most: number;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Borrower>();
  readonly #lent = new Set<Connection>();
  #connecting = 0;
  #isClosed = false;

  constructor(connect: () => Promise<Connection>, most: number) {
    this.#connect = connect;
    this.#most = most;
  }

  get use(): PoolUse {
    // A connection that is being opened already belongs to a borrower, who no longer waits.
    const inUse = this.#lent.size + this.#connecting;
    return { inUse, idle: this.#idle.length, waiting: this.#waiting.size };
  }

  /** Lends a connection, first come first served. Throws `unavailable` if there is none in time. */
  async borrow(waitMs: number): Promise<Connection> {
    if (this.#isClosed || this.#waiting.size >= WAITING_MAX) {
      throw unavailable(new Error('the queue is full'));
    }
    const idle = this.#waiting.size === 0 ? this.#takeIdle() : undefined;
    if (idle !== undefined) {
      this.#lent.add(idle);
      return idle;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const borrower: Borrower = { resolve, reject, hasLeft: false };
    this.#waiting.add(borrower);
    this.#serveWaiting();
    const late = setTimeout(() => {
      borrower.hasLeft = true;
      this.#waiting.delete(borrower);
      reject(unavailable(new Error('no connection was free in time')));
    }, waitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(late);
    }
  }

  giveBack(connection: Connection): void {
    this.#lent.delete(connection);
    if (this.#isClosed) connection.end();
    else if (connection.isAlive()) this.#idle.push(connection);
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
    while (this.use.inUse > 0 && performance.now() < end) await Bun.sleep(CLOSING_PAUSE_MS);
    for (const connection of this.#lent) connection.end();
  }

  /** Takes an idle connection, and drops those that the server has closed. */
  #takeIdle(): Connection | undefined {
    let connection = this.#idle.pop();
    while (connection?.isAlive() === false) connection = this.#idle.pop();
    return connection;
  }

  #serveWaiting(): void {
    for (const first of this.#waiting) {
      const connection = this.#takeIdle();
      if (connection !== undefined) {
        this.#waiting.delete(first);
        this.#lent.add(connection);
        first.resolve(connection);
      } else if (this.use.inUse < this.#most) {
        this.#waiting.delete(first);
        void this.#open(first);
      } else return;
    }
  }

  async #open(borrower: Borrower): Promise<void> {
    this.#connecting++;
    try {
      const connection = await this.#connect();
      this.#lent.add(connection);
      if (borrower.hasLeft) this.giveBack(connection);
      else borrower.resolve(connection);
    } catch (error) {
      borrower.reject(error);
    } finally {
      this.#connecting--;
      this.#serveWaiting();
    }
  }
}
