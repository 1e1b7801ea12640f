import { peek } from 'bun';
import { Failure } from '../domain/failure.ts';

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
  readonly sender: bigint;
  readonly endsAt: number;
  refuse(failure: Failure): void;
}

/** The request bodies that are still arriving. */
export interface AwaitedBodies {
  /**
   * Reads a body and returns it once it is complete. Fails with `service_unavailable` if too many
   * bodies are arriving, and with `invalid_request` if this one takes too long; both close the
   * connection. Fails with `invalid_request` if the connection ends first. Passes on a `Failure`
   * that `read` throws.
   */
  wait(sender: bigint, read: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** The number of bodies still arriving. */
  count(): number;
  /** The number refused since the start because there were too many. */
  refused(): number;
}

const RETRY_SECONDS = 2;

/**
 * Bounds the number of bodies that are still arriving, and the time each may take. All have the same
 * timeout, so they expire in the order in which they started and one timer serves them all: it is
 * set for the oldest body and, when it fires, for the oldest that remains. Nearly every body arrives
 * at once and never needs it; a timer and a promise race for each would cost 2 µs more behind a
 * socket, as much as reading the body does.
 *
 * A sender that reaches its own bound is refused. When the total bound is reached, the sender with
 * the most bodies loses its oldest one to a sender with fewer, so that no group of keys can shut out
 * the others.
 */
export function createAwaitedBodies(
  { timeoutMs, maxPerSender = MAX_PER_SENDER, maxInAll = MAX_IN_ALL }: AwaitedRules,
  time: Timekeeper = systemTime,
): AwaitedBodies {
  const awaited = new Set<Awaited>();
  const perSender = createSenderCounts();
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
      leave(body);
      body.refuse(tooSlow(timeoutMs));
    }
  }

  function leave(body: Awaited): void {
    if (awaited.delete(body)) perSender.remove(body.sender);
  }

  /** Makes room for one more body of a sender. Throws if there is none. */
  function makeRoom(own: number): void {
    if (own < maxPerSender && awaited.size < maxInAll) return;
    refused++;
    const [most, held] = own < maxPerSender ? perSender.greatest() : [];
    if (held === undefined || held <= own + 1) throw tooMany();
    for (const body of awaited) {
      if (body.sender !== most) continue;
      leave(body);
      body.refuse(tooMany());
      return;
    }
  }

  function wait(sender: bigint, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    makeRoom(perSender.of(sender));
    const coming = read();
    // The body had already arrived, so there is nothing to wait for.
    if (peek.status(coming) === 'fulfilled') return coming;
    return new Promise((resolve, reject) => {
      const body: Awaited = { sender, endsAt: time.now() + timeoutMs, refuse: reject };
      awaited.add(body);
      perSender.add(sender);
      if (!isWatching) watch(timeoutMs);
      // After a refusal, neither callback has any effect.
      coming.then(
        (bytes) => {
          leave(body);
          resolve(bytes);
        },
        (error) => {
          leave(body);
          reject(error instanceof Failure ? error : cutOff());
        },
      );
    });
  }

  return { wait, count: () => awaited.size, refused: () => refused };
}

/** Creates counts of bodies by sender. Senders without bodies take no memory. */
function createSenderCounts() {
  const counts = new Map<bigint, number>();
  const of = (sender: bigint) => counts.get(sender) ?? 0;
  return {
    of,
    add(sender: bigint): void {
      counts.set(sender, of(sender) + 1);
    },
    remove(sender: bigint): void {
      const left = of(sender) - 1;
      if (left > 0) counts.set(sender, left);
      else counts.delete(sender);
    },
    /** Returns the sender with the most bodies, and their number. */
    greatest(): [bigint?, number?] {
      let greatest: [bigint?, number?] = [];
      for (const entry of counts) if (entry[1] > (greatest[1] ?? 0)) greatest = entry;
      return greatest;
    },
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
