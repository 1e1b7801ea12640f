/** The share of a wait that chance adds, so that what failed together does not come back together. */
const JITTER = 0.1;

/**
 * Returns the time of the next attempt after `attempts` have failed, the last one at `now`; undefined
 * if that was the last one.
 */
export type Schedule = (attempts: number, now: number, retryAfterMs?: number) => number | undefined;

/** Creates a schedule from the waits between attempts. `random` returns a number from 0 to 1. */
export function createSchedule(waits: readonly number[], random: () => number): Schedule {
  return (attempts, now, retryAfterMs = 0) => {
    const wait = waits[attempts - 1];
    if (wait === undefined) return undefined;
    const jittered = wait * (1 + JITTER * random());
    return Math.ceil(now + Math.max(jittered, retryAfterMs));
  };
}
