import { SECOND_MS } from '../../domain/clock.ts';

/** A worker that has served for this long is replaced at once when it dies. */
const STABLE_MS = 10 * SECOND_MS;
const FIRST_MS = 100;
const LONGEST_MS = 10 * SECOND_MS;

/** How long to wait before a worker is replaced, so that one that always dies costs little. */
export interface RestartDelays {
  /** The worker serves. */
  started(): void;
  /** Returns the delay before the next start, in milliseconds. */
  next(): number;
}

/** Creates the delays of one worker. `now` returns milliseconds of a monotonic clock. */
export function createRestartDelays(now = () => performance.now()): RestartDelays {
  let startedAt: number | undefined;
  let starts = 0;
  return {
    started() {
      startedAt = now();
    },
    next() {
      if (startedAt !== undefined && now() - startedAt >= STABLE_MS) starts = 0;
      startedAt = undefined;
      const delay = starts === 0 ? 0 : Math.min(FIRST_MS * 2 ** (starts - 1), LONGEST_MS);
      starts++;
      return delay;
    },
  };
}
