import { Failure } from '../domain/failure.ts';

/** Where deadlines take the time from; a test brings its own. */
export interface Timekeeper {
  /** Milliseconds of a clock that never steps. */
  now(): number;
  /** Calls back once, after so many milliseconds; no process stays up for that alone. */
  wake(afterMs: number, call: () => void): void;
}

const systemTime: Timekeeper = {
  now: () => performance.now(),
  wake: (afterMs, call) => void setTimeout(call, afterMs).unref(),
};

/** A body that has not come yet. */
interface Awaited {
  readonly endsAt: number;
  refuse(failure: Failure): void;
}

/**
 * Gives a body when it comes. Fails with `invalid_request` where it comes too late, which ends the
 * connection, or where the connection ended first; a `Failure` of reading it is passed on.
 */
export type InTime = (body: Promise<Uint8Array>) => Promise<Uint8Array>;

/**
 * Gives bodies so many milliseconds to come. All have the same time, so they end in the order in
 * which they began, and one timer serves them all: it is set for the first that is waited for and,
 * when it is due, for the first that is left. Nearly every body comes at once and never sees it; a
 * timer and a race of promises for each cost 2 µs more behind a socket, as much as to read it.
 */
export function createBodyDeadlines(timeoutMs: number, time: Timekeeper = systemTime): InTime {
  const awaited = new Set<Awaited>();
  let isWatching = false;

  function watch(forMs: number): void {
    isWatching = true;
    time.wake(forMs, sweep);
  }

  function sweep(): void {
    isWatching = false;
    const now = time.now();
    for (const body of awaited) {
      if (body.endsAt > now) {
        watch(body.endsAt - now);
        return;
      }
      awaited.delete(body);
      body.refuse(tooSlow(timeoutMs));
    }
  }

  return (coming) =>
    new Promise((resolve, reject) => {
      const body: Awaited = { endsAt: time.now() + timeoutMs, refuse: reject };
      awaited.add(body);
      if (!isWatching) watch(timeoutMs);
      // Once it was refused, neither changes anything any more.
      coming.then(
        (bytes) => {
          awaited.delete(body);
          resolve(bytes);
        },
        (error) => {
          awaited.delete(body);
          reject(error instanceof Failure ? error : cutOff());
        },
      );
    });
}

/** The rest of the body may still come, so the connection cannot be used on. */
function tooSlow(timeoutMs: number): Failure {
  const message = `The body must be here within ${timeoutMs / 1_000} s; nothing was changed.`;
  return new Failure('invalid_request', message, { endsConnection: true });
}

/** Whoever sent it has gone, so hardly anybody hears this; but it is no fault of ours. */
function cutOff(): Failure {
  return new Failure('invalid_request', 'The connection ended before the body did.');
}
