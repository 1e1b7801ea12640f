import { peek } from 'bun';
import { Failure } from '../domain/failure.ts';
import { createFairPlaces } from '../domain/fair-places.ts';

/** The clock behind the deadlines. Tests inject their own. */
export interface Timekeeper {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls back once, after this many milliseconds. Does not keep the process alive. */
  wake(afterMs: number, call: () => void): void;
}

/** The time of this machine. Its timers do not keep the process alive. */
export const systemTime: Timekeeper = {
  now: () => performance.now(),
  wake: (afterMs, call) => void setTimeout(call, afterMs).unref(),
};

/** Bounds for bodies that are still arriving. */
export interface AwaitedRules {
  /** Time for a body to arrive, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxPerSender?: number;
  readonly maxInAll?: number;
}

/**
 * Enough for a client with hundreds of connections on a slow line, yet one key can hold at most
 * 16 MiB with 64 KiB bodies that it never finishes.
 */
const MAX_PER_SENDER = 250;
const MAX_IN_ALL = 2_000;

/** A body that has not arrived yet. */
interface Awaited {
  readonly endsAt: number;
  refuse(failure: Failure): void;
}

/** The request bodies that are still arriving. */
export type AwaitedBodies = ReturnType<typeof createAwaitedBodies>;

const RETRY_SECONDS = 2;

/**
 * Bounds the number of bodies that are still arriving, and the time each may take. All have the same
 * timeout, so they expire in the order in which they started and one timer serves them all: it is
 * set for the oldest body and, when it fires, for the oldest that remains. Nearly every body arrives
 * at once and never needs it; a timer and a promise race for each would cost 2 µs more behind a
 * socket, as much as reading the body does.
 *
 * Senders share the places fairly, so that no group of keys can shut out the others.
 */
export function createAwaitedBodies(
  { timeoutMs, maxPerSender = MAX_PER_SENDER, maxInAll = MAX_IN_ALL }: AwaitedRules,
  time: Timekeeper = systemTime,
) {
  const awaited = new Set<Awaited>();
  const places = createFairPlaces({ perHolder: maxPerSender, inAll: maxInAll });
  let isWatching = false;
  let refused = 0;

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
      body.refuse(tooSlow(timeoutMs));
    }
  }

  /**
   * Reads a body and returns it once it is complete. Fails with `service_unavailable` if too many
   * bodies are arriving, and with `invalid_request` if this one takes too long; both close the
   * connection. Fails with `invalid_request` if the connection ends first. Passes on a `Failure`
   * that `read` throws.
   */
  function wait(sender: bigint, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const release = places.take(sender, () => {
      refused++;
      body.refuse(tooMany());
    });
    const body: Awaited = {
      endsAt: time.now() + timeoutMs,
      refuse(failure) {
        leave();
        reject(failure);
      },
    };
    function leave(): void {
      awaited.delete(body);
      release?.();
    }
    if (release === undefined) {
      refused++;
      throw tooMany();
    }
    const coming = read();
    // The body had already arrived, so there is nothing to wait for.
    if (peek.status(coming) === 'fulfilled') {
      release();
      return coming;
    }
    awaited.add(body);
    if (!isWatching) watch(timeoutMs);
    // After a refusal, neither callback has any effect.
    coming.then(
      (bytes) => {
        leave();
        resolve(bytes);
      },
      (error) => {
        leave();
        reject(error instanceof Failure ? error : cutOff());
      },
    );
    return promise;
  }

  return {
    wait,
    /** The number of bodies still arriving. */
    count: () => awaited.size,
    /** The number refused since the start because there were too many. */
    refused: () => refused,
  };
}

/** Closes the connection, because the rest of the body may still arrive on it. */
function tooSlow(timeoutMs: number): Failure {
  const message = `The body must arrive within ${timeoutMs / 1_000} s; nothing was changed.`;
  return new Failure('invalid_request', message, { endsConnection: true });
}

/** Closes the connection too: otherwise the sender could use those up instead. */
function tooMany(): Failure {
  const message =
    'Too many requests are waiting for their bodies; nothing was changed. Send each body together with its headers, and try again shortly.';
  const details = { retryAfterSeconds: RETRY_SECONDS, endsConnection: true } as const;
  return new Failure('service_unavailable', message, details);
}

/** The client is gone and rarely sees this, but the log must not count it as a server error. */
function cutOff(): Failure {
  return new Failure('invalid_request', 'The connection ended before the body did.');
}
