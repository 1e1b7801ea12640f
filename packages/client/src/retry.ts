import { PetstoreError } from './error.ts';

/** How long a call may take and how often it is tried. Times are in milliseconds. */
export interface Patience {
  /** The number of further attempts. */
  readonly retries: number;
  /** The time for one attempt. */
  readonly timeout: number;
  /** The time for all attempts together, with the waits between them. */
  readonly deadline: number;
  /** The longest wait before another attempt. */
  readonly maxWait: number;
}

/** The wait before the first further attempt; it doubles each time. */
const FIRST_WAIT_MS = 250;
/** Timers may fire a little early. */
const TIMER_ERROR_MS = 5;

/** Calls `attempt` with the milliseconds that remain, again while that can help. */
export async function withRetries<T>(
  attempt: (left: number) => Promise<T>,
  patience: Patience,
  signal: AbortSignal | undefined,
): Promise<T> {
  const end = performance.now() + patience.deadline;
  for (let failures = 0; ; failures++) {
    try {
      return await attempt(end - performance.now());
    } catch (error) {
      const wait = failures < patience.retries ? waitAfter(error, failures, patience.maxWait) : -1;
      if (wait < 0 || performance.now() + wait >= end) throw error;
      await sleep(wait, signal);
    }
  }
}

/**
 * Returns the milliseconds to wait after a failure, or -1 if another try cannot help or would have
 * to come later than `maxWait`. Never less than the service asked for.
 */
export function waitAfter(error: unknown, failures: number, maxWait: number): number {
  if (!(error instanceof PetstoreError) || !isPassing(error)) return -1;
  const jitter = (0.5 + Math.random() / 2) * Math.min(FIRST_WAIT_MS * 2 ** failures, maxWait);
  if (error.retryAfter === undefined) return jitter;
  const asked = error.retryAfter * 1000;
  return asked > maxWait ? -1 : asked + TIMER_ERROR_MS + jitter;
}

/** Returns whether the same request may succeed later. */
function isPassing({ code, status }: PetstoreError): boolean {
  return (
    status === 429 ||
    code === 'service_unavailable' ||
    code === 'idempotency_in_progress' ||
    code === 'connection_lost' ||
    code === 'timeout'
  );
}

/** Waits; throws `aborted` as soon as the signal does. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}

/** The error of a call whose caller gave it up. */
export function aborted(signal: AbortSignal | undefined): PetstoreError {
  return new PetstoreError('The call was aborted.', { code: 'aborted', cause: signal?.reason });
}
