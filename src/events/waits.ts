import type { ChangePage, WaitEnd, WaitRequest } from '../domain/change-log.ts';

/** A request that waits. */
export interface Wait {
  /** When its time is over, in milliseconds of the monotonic clock. */
  readonly endsAt: number;
  /** What to read next. Nothing that was asked for came before it. */
  request: WaitRequest;
  /** The first changes, and until when others are waited for, which get into the same response. */
  gathered: { readonly page: ChangePage; readonly until: number } | undefined;
  fulfil(page: ChangePage): void;
  fail(error: unknown): void;
}

/** The requests that wait. What ends one that has ended before does nothing. */
export class Waits {
  readonly #all = new Set<Wait>();
  /** The waits that ended, by how. */
  readonly ended: Record<WaitEnd, number> = {
    changes: 0,
    time: 0,
    disconnected: 0,
    shutdown: 0,
    failed: 0,
    refused: 0,
  };

  get size(): number {
    return this.#all.size;
  }

  /** Adds a request, with what has been gathered for it. The promise settles when its wait is ended. */
  add(request: WaitRequest, endsAt: number, gathered?: Wait['gathered']) {
    const { promise, resolve: fulfil, reject: fail } = Promise.withResolvers<ChangePage>();
    const wait: Wait = { endsAt, request, gathered, fulfil, fail };
    this.#all.add(wait);
    return { wait, promise };
  }

  resolve(wait: Wait, page: ChangePage, end: WaitEnd): void {
    if (this.#remove(wait, end)) wait.fulfil(page);
  }

  /** Ends a wait early, with what has been gathered. */
  resolveEarly(wait: Wait, end: WaitEnd): void {
    const { gathered, request } = wait;
    if (gathered !== undefined) this.resolve(wait, gathered.page, 'changes');
    else this.resolve(wait, { changes: [], resumeAfter: request.after }, end);
  }

  reject(wait: Wait, error: unknown): void {
    if (this.#remove(wait, 'failed')) wait.fail(error);
  }

  /** Returns those that have not seen this change, and do not gather at `now`, in order of `after`. */
  behind(id: bigint, now: number): readonly Wait[] {
    return [...this.#all]
      .filter(({ request, gathered }) => request.after < id && !(gathered && now < gathered.until))
      .sort((a, b) => Number(a.request.after - b.request.after));
  }

  /** Returns those whose time was over at `now`. */
  over(now: number): readonly Wait[] {
    return [...this.#all].filter(({ endsAt }) => endsAt <= now);
  }

  #remove(wait: Wait, end: WaitEnd): boolean {
    if (!this.#all.delete(wait)) return false;
    this.ended[end]++;
    return true;
  }
}
