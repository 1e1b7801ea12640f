import { SECOND_MS } from '../domain/clock.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { AwaitedBodies } from '../http/awaited-bodies.ts';
import { createHistogram, type Histogram } from '../telemetry/histogram.ts';
import type { Log } from '../telemetry/log.ts';
import { measureQueueDelay, type QueueDelay } from './queue-delay.ts';

/** How much the service takes on. */
export interface OverloadLimits {
  /** Requests in progress from which on those that would have to wait are refused. */
  readonly maxInProgress: number;
  /** Milliseconds that requests may wait for their turn; beyond, some are refused. */
  readonly maxQueueMs: number;
  /** Whether reads wait too. Those of the embedded database are answered at once. */
  readonly readsWait: boolean;
}

/** How the load is, for the metrics. Counts since the start. */
export interface OverloadReport {
  readonly inProgress: number;
  /** Refused because too many were in progress. */
  readonly refusedInProgress: number;
  /** Refused because the queue was too long. */
  readonly refusedQueued: number;
  /** Bodies that are on their way; their requests are not in progress yet. */
  readonly awaitedBodies: number;
  /** Refused because too many bodies were on their way. */
  readonly refusedBodies: number;
}

/** Refuses what the service cannot carry, before it costs anything. */
export interface LoadShedder {
  /** Whether to refuse a request that starts at `now` (`performance.now`), with 503. */
  refuses(method: string, now: number): boolean;
  /**
   * Whether to refuse a request whose body has arrived: it is in progress from now on, so there may
   * be no room for it.
   */
  refusesWithBody(): boolean;
  /** Counts a request whose answer comes later as in progress until then, but not while its body is awaited. */
  track<T>(response: MaybePromise<T>): MaybePromise<T>;
  report(): OverloadReport;
  /** How long requests waited for their turn, in seconds. */
  readonly delays: Histogram;
}

/** A queue must be too long for this time on end, in milliseconds: one slow moment is no overload. */
const SUSTAINED_MS = 500;
/** Refusing ends when the queue is shorter than this part of what it may be. */
const RELIEVED = 0.5;
/**
 * Milliseconds of refusing for each of serving, at the most: a fifth of the time. To refuse costs
 * half of what a ready answer costs, so whoever refuses all that is too much does nothing else.
 */
const REFUSING_SHARE = 0.25;
/** The most that is saved up for refusing, in milliseconds. */
const CREDIT_MAX_MS = 20;
/**
 * The most that the time between two requests counts, in milliseconds, whichever came first: beyond,
 * the process had other work, or its core was taken from it.
 */
const INTERVAL_MAX_MS = 5;

/** Bounds of what is told of delays, in seconds. */
const DELAYS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The bodies that are on their way, as far as the guard has to know of them. */
export type BodiesUnderWay = Pick<AwaitedBodies, 'count' | 'refused'>;

/** Makes a guard. Without a measure of the queue it counts the requests in progress alone. */
export function createLoadShedder(
  { maxInProgress, maxQueueMs, readsWait }: OverloadLimits,
  bodies: BodiesUnderWay,
  queue: QueueDelay | undefined,
): LoadShedder {
  /** Requests whose answer comes later, those with a body on its way among them. */
  let unanswered = 0;
  let refusedInProgress = 0;
  let refusedQueued = 0;
  let longSince: number | undefined;
  let isTooLong = false;
  const budget = createBudget();
  const delays = createHistogram(DELAYS);

  const mustWait = (method: string) => readsWait || (method !== 'GET' && method !== 'HEAD');
  const inProgress = () => unanswered - bodies.count();
  const leave = () => {
    unanswered--;
  };

  function refusedAsOneTooMany(): true {
    refusedInProgress++;
    return true;
  }

  queue?.listen((delayMs, now) => {
    delays.observe(delayMs / SECOND_MS);
    if (delayMs < maxQueueMs * RELIEVED) {
      longSince = undefined;
      isTooLong = false;
    } else if (delayMs > maxQueueMs) {
      longSince ??= now;
      isTooLong ||= now - longSince >= SUSTAINED_MS;
    }
  });

  return {
    refuses(method, now) {
      queue?.look(now);
      if (mustWait(method) && inProgress() >= maxInProgress) return refusedAsOneTooMany();
      if (!isTooLong || !budget.allows(now)) return false;
      refusedQueued++;
      return true;
    },
    refusesWithBody: () => inProgress() > maxInProgress && refusedAsOneTooMany(),
    track(response) {
      if (!(response instanceof Promise)) return response;
      unanswered++;
      // `finally` would pass the answer on by two promises more.
      response.then(leave, leave);
      return response;
    },
    report: () => ({
      inProgress: inProgress(),
      refusedInProgress,
      refusedQueued,
      awaitedBodies: bodies.count(),
      refusedBodies: bodies.refused(),
    }),
    delays,
  };
}

/** A guard at work. */
export interface RunningLoadShedder extends LoadShedder {
  end(): void;
}

/** Begins to guard, and writes a line a second to the log while it refuses something. */
export async function startLoadShedder(
  rules: OverloadLimits,
  bodies: BodiesUnderWay,
  log: Log,
  given?: QueueDelay,
): Promise<RunningLoadShedder> {
  const queue =
    given ??
    (await measureQueueDelay().catch((error) => {
      log.error('cannot measure how long requests wait, so none is refused for that', error);
      return undefined;
    }));
  const load = createLoadShedder(rules, bodies, queue);
  let told = 0;
  const timer = setInterval(() => {
    const { refusedInProgress, refusedQueued, inProgress } = load.report();
    const refused = refusedInProgress + refusedQueued - told;
    if (refused === 0) return;
    told += refused;
    log.warn('requests were refused: more came than can be answered', { refused, inProgress });
  }, SECOND_MS);
  return {
    ...load,
    end() {
      queue?.close();
      clearInterval(timer);
    },
  };
}

/** Time set aside for refusing. */
interface Budget {
  /** Whether the request that begins at `now` may be refused; what it costs is seen at the next. */
  allows(now: number): boolean;
}

function createBudget(): Budget {
  let credit = CREDIT_MAX_MS;
  let lastAt = 0;
  let lastRefused = false;
  return {
    allows(now) {
      const spent = Math.min(now - lastAt, INTERVAL_MAX_MS);
      credit += lastRefused ? -spent : spent * REFUSING_SHARE;
      credit = Math.min(credit, CREDIT_MAX_MS);
      lastAt = now;
      lastRefused = credit > 0;
      return lastRefused;
    },
  };
}
