import { SECOND_MS } from '../domain/clock.ts';
import type { AwaitedBodies } from '../http/awaited-bodies.ts';
import { createHistogram, type Histogram } from '../telemetry/exposition.ts';
import type { Log } from '../telemetry/log.ts';
import { INTERVAL_MAX_MS, measureQueueDelay, type QueueDelay } from './queue-delay.ts';

/** The load that the service accepts. */
export interface OverloadLimits {
  /** With this many requests in progress, further ones that would have to wait are refused. */
  readonly maxInProgress: number;
  /** When requests wait longer than this for their turn, in milliseconds, some are refused. */
  readonly maxQueueMs: number;
  /** False for the embedded database, which answers reads at once. */
  readonly readsWait: boolean;
}

/** The load, for the metrics. Counters start at zero with the process. */
export interface OverloadReport {
  readonly inProgress: number;
  /** Refused because too many were in progress. */
  readonly refusedInProgress: number;
  /** Refused because the queue was too long. */
  readonly refusedQueued: number;
  /** Bodies that are still arriving; their requests are not in progress yet. */
  readonly awaitedBodies: number;
  /** Refused because too many bodies were arriving. */
  readonly refusedBodies: number;
}

/** Refuses requests that the service cannot handle, before they cost anything. */
export interface LoadShedder {
  /** Decides whether a request that starts at `now` (`performance.now`) gets 503. */
  refuses(method: string, now: number): boolean;
  /** Decides again when a body has arrived: only now does its request count as in progress. */
  refusesWithBody(): boolean;
  /**
   * Counts a request as in progress until its response settles, except while its body arrives or
   * while it waits for events.
   */
  track<T>(response: Promise<T>): Promise<T>;
  report(): OverloadReport;
  /** The time that requests waited for their turn, in seconds. */
  readonly delays: Histogram;
}

/** The queue must be too long for this many milliseconds on end: one slow moment is no overload. */
const SUSTAINED_MS = 500;
/** For this many milliseconds after an overload, a queue that is too long again is one at once. */
const AGAIN_MS = 10_000;
/** Refusing stops when the delay falls below this fraction of its limit. */
const RECOVERY_RATIO = 0.5;
/**
 * Time allowed for rejections, as a fraction of the time for serving: at most a fifth of all. Refusing costs half
 * as much as a cached response: a service that refused all excess load would do nothing else.
 */
const REFUSING_SHARE = 0.25;
/**
 * A response must cost this many refusals. Where it costs less, a fifth of the time is not enough to
 * refuse all that is offered beyond the maximum, so the queue would stay as long, and less be served.
 */
const REFUSALS_PER_RESPONSE = 6;
/** The same share where refusing does not pay, to notice when it does. */
const PROBING_SHARE = 0.01;
/**
 * The most that one refusal counts in the mean cost of refusals, in milliseconds. What takes longer is
 * other work: when an overload begins, many connections are opened between two requests.
 */
const REFUSAL_MAX_MS = 0.1;
/** How much the newest request counts in the mean cost of responses, or of refusals. */
const NEWEST_WEIGHT = 1 / 256;
/** The most time that can be saved up for refusing, in milliseconds. */
const CREDIT_MAX_MS = 20;
/** Histogram buckets of the delays, in seconds. */
const DELAYS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The part of `AwaitedBodies` that a load shedder needs. */
export type BodiesUnderWay = Pick<AwaitedBodies, 'count' | 'refused'>;

/** Returns the number of requests that wait for events. */
export type CountWaiting = () => number;

/** Creates a load shedder. Without a `queue` it only bounds the requests in progress. */
export function createLoadShedder(
  { maxInProgress, maxQueueMs, readsWait }: OverloadLimits,
  bodies: BodiesUnderWay,
  queue: QueueDelay | undefined,
  waiting: CountWaiting = () => 0,
): LoadShedder {
  /** Requests without a response yet, including those that wait for their body or for events. */
  let unanswered = 0;
  let refusedInProgress = 0;
  let refusedQueued = 0;
  const queueState = createQueueState(maxQueueMs);
  const budget = createBudget();
  const delays = createHistogram(DELAYS);

  const mustWait = (method: string) => readsWait || (method !== 'GET' && method !== 'HEAD');
  const inProgress = () => unanswered - bodies.count() - waiting();
  const leave = () => {
    unanswered--;
  };

  function rejectOverCapacity(): true {
    refusedInProgress++;
    return true;
  }

  queue?.listen((delayMs, now) => {
    delays.observe(delayMs / SECOND_MS);
    queueState.update(delayMs, now);
  });

  return {
    refuses(method, now) {
      if (queue !== undefined) {
        queue.measure(now);
        // A datagram behind a long queue says so before it is back.
        const waitedMs = queue.waited();
        if (waitedMs > maxQueueMs) queueState.update(waitedMs, now);
      }
      if (mustWait(method) && inProgress() >= maxInProgress) return rejectOverCapacity();
      if (!queueState.isTooLong() || !budget.allows(now)) return false;
      refusedQueued++;
      return true;
    },
    refusesWithBody: () => inProgress() > maxInProgress && rejectOverCapacity(),
    track(response) {
      if (!(response instanceof Promise)) return response;
      unanswered++;
      // Returning `response.finally(...)` would add two promises before the caller sees it.
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

/** Creates the state of the queue. Between `RECOVERY_RATIO` and the limit it stays as it is. */
function createQueueState(maxQueueMs: number) {
  let longSince: number | undefined;
  let isTooLong = false;
  let relievedAt = Number.NEGATIVE_INFINITY;
  return {
    isTooLong: () => isTooLong,
    update(delayMs: number, now: number): void {
      if (delayMs < maxQueueMs * RECOVERY_RATIO) {
        // Not after one slow moment, which would renew itself.
        if (isTooLong && now - (longSince ?? now) >= SUSTAINED_MS) relievedAt = now;
        longSince = undefined;
        isTooLong = false;
      } else if (delayMs > maxQueueMs) {
        longSince ??= now;
        isTooLong ||= now - longSince >= SUSTAINED_MS || now - relievedAt < AGAIN_MS;
      }
    },
  };
}

/** A load shedder that logs what it refuses. */
export interface RunningLoadShedder extends LoadShedder {
  end(): void;
}

/** Starts a load shedder. While it refuses requests it logs one line a second. */
export async function startLoadShedder(
  rules: OverloadLimits,
  bodies: BodiesUnderWay,
  log: Log,
  waiting: CountWaiting,
  given?: QueueDelay,
): Promise<RunningLoadShedder> {
  const queue =
    given ??
    (await measureQueueDelay().catch((error) => {
      log.error(
        'cannot measure how long requests wait, so none is refused for waiting too long',
        error,
      );
      return undefined;
    }));
  const load = createLoadShedder(rules, bodies, queue, waiting);
  let reported = 0;
  const timer = setInterval(() => {
    const { refusedInProgress, refusedQueued, inProgress } = load.report();
    const refused = refusedInProgress + refusedQueued - reported;
    if (refused === 0) return;
    reported += refused;
    log.warn('requests were refused: the service is overloaded', { refused, inProgress });
  }, SECOND_MS);
  return {
    ...load,
    end() {
      queue?.close();
      clearInterval(timer);
    },
  };
}

/** The time budget for refusing requests. */
interface Budget {
  /** Decides whether the request that starts at `now` may be refused. The next call charges its cost. */
  allows(now: number): boolean;
}

function createBudget(): Budget {
  let credit = CREDIT_MAX_MS;
  let lastAt = 0;
  let lastRefused = false;
  /** Mean costs in milliseconds. */
  let response = 0;
  let refusal = 0;

  function note(spent: number): void {
    if (lastRefused) {
      refusal += (Math.min(spent, REFUSAL_MAX_MS) - refusal) * NEWEST_WEIGHT;
      credit -= spent;
      return;
    }
    response += (spent - response) * NEWEST_WEIGHT;
    const pays = response >= refusal * REFUSALS_PER_RESPONSE;
    credit = Math.min(credit + spent * (pays ? REFUSING_SHARE : PROBING_SHARE), CREDIT_MAX_MS);
  }

  return {
    allows(now) {
      note(Math.min(now - lastAt, INTERVAL_MAX_MS));
      lastAt = now;
      lastRefused = credit > 0;
      return lastRefused;
    },
  };
}
