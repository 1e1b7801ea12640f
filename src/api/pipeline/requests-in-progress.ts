import type { AwaitedBodies } from '../../http/awaited-bodies.ts';

/** How many requests may be in progress. */
interface ProgressLimits {
  /** With this many in progress, further ones that would have to wait are refused. */
  readonly maxInProgress: number;
  /** False for the embedded database, which answers reads at once. */
  readonly readsWait: boolean;
}

/** The load, for the metrics. Counters start at zero with the process. */
export interface ProgressReport {
  readonly inProgress: number;
  /** Refused because too many were in progress. */
  readonly refusedInProgress: number;
  /** Bodies that are still arriving; their requests are not in progress yet. */
  readonly awaitedBodies: number;
  /** Refused because too many bodies were arriving. */
  readonly refusedBodies: number;
}

/** The requests that are in progress. They are bounded, because each that waits holds memory. */
export interface RequestsInProgress {
  /** Decides whether a request gets 503, before it costs anything. */
  refuses(method: string): boolean;
  /** Decides again when a body has arrived: only now does its request count as in progress. */
  refusesWithBody(): boolean;
  /** Counts a request until its response settles, except while it waits for its body or for events. */
  track<T>(response: Promise<T>): Promise<T>;
  report(): ProgressReport;
}

/** Creates the count of a service. `waiting` returns how many requests wait for events. */
export function createRequestsInProgress(
  { maxInProgress, readsWait }: ProgressLimits,
  bodies: Pick<AwaitedBodies, 'count' | 'refused'>,
  waiting: () => number,
): RequestsInProgress {
  /** Requests without a response yet, including those that wait for their body or for events. */
  let unanswered = 0;
  let refusedInProgress = 0;

  const inProgress = () => unanswered - bodies.count() - waiting();
  const leave = () => {
    unanswered--;
  };

  function refuseOver(most: number): boolean {
    if (inProgress() <= most) return false;
    refusedInProgress++;
    return true;
  }

  return {
    refuses: (method) =>
      (readsWait || (method !== 'GET' && method !== 'HEAD')) && refuseOver(maxInProgress - 1),
    refusesWithBody: () => refuseOver(maxInProgress),
    track(response) {
      unanswered++;
      // Returning `response.finally(...)` would add two promises before the caller sees it.
      response.then(leave, leave);
      return response;
    },
    report: () => ({
      inProgress: inProgress(),
      refusedInProgress,
      awaitedBodies: bodies.count(),
      refusedBodies: bodies.refused(),
    }),
  };
}
