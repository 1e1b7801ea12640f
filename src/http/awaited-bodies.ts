import { peek } from 'bun';
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

/** How long bodies may take, and how many may be on their way at once. */
export interface AwaitedRules {
  /** How long a body may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxPerSender?: number;
  readonly maxInAll?: number;
}

/**
 * Enough for a client with hundreds of connections on a slow line, and few enough that one key takes
 * no more than 16 MiB with bodies of 64 KiB that it never finishes.
 */
const MAX_PER_SENDER = 250;
const MAX_IN_ALL = 2_000;

/** A body that has not arrived yet. */
interface Awaited {
  readonly sender: bigint;
  readonly endsAt: number;
  refuse(failure: Failure): void;
}

/** The bodies that are on their way. */
export interface AwaitedBodies {
  /**
   * Begins to read a body, and gives it when it is complete. Fails with `service_unavailable` where
   * too many are on their way, and with `invalid_request` where this one takes too long; both end
   * the connection. Also with `invalid_request` where the connection ended first. A `Failure` of
   * reading it is passed on.
   */
  wait(sender: bigint, read: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** How many are on their way. */
  count(): number;
  /** How many were refused since the start because there were too many. */
  refused(): number;
}

const RETRY_SECONDS = 2;

/**
 * Bounds the bodies that are on their way, in time and in number. All have the same time, so they end
 * in the order in which they began, and one timer serves them all: it is set for the first that is
 * waited for and, when it is due, for the first that is left. Nearly every body arrives at once and
 * never sees it; a timer and a race of promises for each cost 2 µs more behind a socket, as much as
 * reading it does.
 *
 * A sender that reaches its own bound is refused. Where the bound of all is reached, whoever holds
 * the most gives up its oldest body for one that holds fewer, so that no crowd of keys can shut out
 * the others.
 */
export function createAwaitedBodies(
  { timeoutMs, maxPerSender = MAX_PER_SENDER, maxInAll = MAX_IN_ALL }: AwaitedRules,
  time: Timekeeper = systemTime,
): AwaitedBodies {
  const awaited = new Set<Awaited>();
  const perSender = new Map<bigint, number>();
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
    if (!awaited.delete(body)) return;
    const left = (perSender.get(body.sender) ?? 0) - 1;
    if (left > 0) perSender.set(body.sender, left);
    else perSender.delete(body.sender);
  }

  /** Makes room for one more body of a sender. Throws where there is none. */
  function makeRoom(own: number): void {
    if (own < maxPerSender && awaited.size < maxInAll) return;
    refused++;
    const [most, held] = own < maxPerSender ? greatestOf(perSender) : [];
    if (held === undefined || held <= own + 1) throw tooMany();
    for (const body of awaited) {
      if (body.sender !== most) continue;
      leave(body);
      body.refuse(tooMany());
      return;
    }
  }

  function wait(sender: bigint, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    makeRoom(perSender.get(sender) ?? 0);
    const coming = read();
    // One that was complete before it was asked for has not been waited for.
    if (peek.status(coming) === 'fulfilled') return coming;
    return new Promise((resolve, reject) => {
      const body: Awaited = { sender, endsAt: time.now() + timeoutMs, refuse: reject };
      awaited.add(body);
      perSender.set(sender, (perSender.get(sender) ?? 0) + 1);
      if (!isWatching) watch(timeoutMs);
      // Once it was refused, neither changes anything any more.
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

/** The sender that holds the most, and how many. There are at most as many as bodies. */
function greatestOf(perSender: ReadonlyMap<bigint, number>): [bigint?, number?] {
  let greatest: [bigint?, number?] = [];
  for (const entry of perSender) if (entry[1] > (greatest[1] ?? 0)) greatest = entry;
  return greatest;
}

/** The rest of the body may still come, so the connection cannot be used on. */
function tooSlow(timeoutMs: number): Failure {
  const message = `The body must be here within ${timeoutMs / 1_000} s; nothing was changed.`;
  return new Failure('invalid_request', message, { endsConnection: true });
}

/** Ends the connection as well: it is what such a sender would use up next. */
function tooMany(): Failure {
  const message =
    'Too many requests are waiting for their bodies; nothing was changed. Send each body together with its headers, and try again shortly.';
  const details = { retryAfterSeconds: RETRY_SECONDS, endsConnection: true } as const;
  return new Failure('service_unavailable', message, details);
}

/** Whoever sent it has gone, so hardly anybody hears this; but it is no fault of ours. */
function cutOff(): Failure {
  return new Failure('invalid_request', 'The connection ended before the body did.');
}
