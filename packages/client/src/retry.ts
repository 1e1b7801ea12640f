import { PetstoreError } from './error.ts';

/** How long a call may take and how often it is tried. Times are in milliseconds. */
export interface RetryOptions {
  /** The number of further attempts. */
  readonly retries: number;
  /** The time for one attempt. */
  readonly timeout: number;
  /** The time for all attempts together, with the waits between them. */
  readonly deadline: number;
  /** The longest wait before another attempt. */
  readonly maxWait: number;
}

/** Called before the wait for another attempt: why, and for how many milliseconds. */
export type OnRetry = (error: PetstoreError, milliseconds: number) => void;

/** The clock and the timers of a client. Tests replace them. */
export interface Time {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Waits; throws `aborted` as soon as the signal does. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** What `withRetries` goes by. */
export interface Retrying extends Omit<RetryOptions, 'timeout'> {
  /** Tries again for ever, whatever `Retry-After` says, unless the key is banned. */
  readonly endless: boolean;
  readonly onRetry: OnRetry | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The wait before the first further attempt; it doubles each time. */
const FIRST_WAIT_MS = 250;
/** Timers may fire a little early. */
const TIMER_ERROR_MS = 5;
/** Longer timers fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Calls `attempt` with the milliseconds that remain, again while that can help. */
export async function withRetries<T>(
  attempt: (left: number) => Promise<T>,
  retrying: Retrying,
  { now, sleep }: Time,
): Promise<T> {
  const { retries, deadline, onRetry, signal, endless } = retrying;
  const end = endless ? Number.POSITIVE_INFINITY : now() + deadline;
  for (let failures = 0; ; failures++) {
    try {
      return await attempt(end - now());
    } catch (error) {
      const mayRetry = error instanceof PetstoreError && (endless || failures < retries);
      const wait = mayRetry ? waitAfter(error, failures, retrying) : undefined;
      if (wait === undefined || now() + wait >= end) throw error;
      // `wait` has a value only for errors of this class.
      onRetry?.(error as PetstoreError, wait);
      await sleep(wait, signal);
    }
  }
}

/**
 * Returns the milliseconds to wait after a failure, never less than the service asked for; undefined
 * if another attempt cannot help, or would come too late.
 */
function waitAfter(
  error: PetstoreError,
  failures: number,
  { maxWait, endless }: Retrying,
): number | undefined {
  if (!isPassing(error) || (endless && error.code === 'api_key_banned')) return undefined;
  const jitter = (0.5 + Math.random() / 2) * Math.min(FIRST_WAIT_MS * 2 ** failures, maxWait);
  if (error.retryAfter === undefined) return jitter;
  const asked = error.retryAfter * 1000;
  if (asked > maxWait && !endless) return undefined;
  return Math.min(asked + TIMER_ERROR_MS + jitter, TIMER_MAX_MS);
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

/** The real time. */
export const systemTime: Time = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
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
    }),
};

/** The error of a call whose caller gave it up. */
export function aborted(signal: AbortSignal | undefined): PetstoreError {
  return new PetstoreError('The call was aborted.', { code: 'aborted', cause: signal?.reason });
}
