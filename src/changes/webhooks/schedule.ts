import { DAY_MS, SECOND_MS } from '../../domain/clock.ts';

/** The share of a wait that chance adds, so that what failed together does not come back together. */
const JITTER = 0.1;
/** A `Retry-After` delays an attempt by at most this, in milliseconds. */
const RETRY_AFTER_MAX_MS = DAY_MS;

/** When the next attempt is made. */
export interface Schedule {
  /**
   * Returns the time of the next attempt after `attempts` have failed, the last one at `now`;
   * undefined if that was the last one.
   */
  next(attempts: number, now: number, retryAfterMs?: number): number | undefined;
}

/** Creates a schedule from the waits between attempts. `random` returns a number from 0 to 1. */
export function createSchedule(waits: readonly number[], random: () => number): Schedule {
  return {
    next(attempts, now, retryAfterMs = 0) {
      const wait = waits[attempts - 1];
      if (wait === undefined) return undefined;
      const jittered = wait * (1 + JITTER * random());
      return Math.ceil(now + Math.max(jittered, retryAfterMs));
    },
  };
}

/**
 * Returns the milliseconds that a `Retry-After` header asks for (RFC 9110, section 10.2.3), at most a
 * day; 0 if it cannot be read.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const wanted = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(wanted) ? 0 : Math.min(Math.max(wanted, 0), RETRY_AFTER_MAX_MS);
}
