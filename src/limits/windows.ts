import type { WindowUse } from '../domain/allowance.ts';

/** Returns the start of the fixed window of this length that contains `now`. UTC, as the epoch is. */
export function windowStart(now: number, lengthMs: number): number {
  return Math.floor(now / lengthMs) * lengthMs;
}

/** A `WindowUse` that can be changed. */
export type WindowCount = { -readonly [K in keyof WindowUse]: WindowUse[K] };

/** Turns a count to the window that starts at `start`, and returns its use. */
export function turnTo(count: WindowCount, start: number): number {
  if (count.start === start) return count.used;
  const { start: leftStart, used: leftUsed } = count;
  count.used = count.otherStart === start ? count.otherUsed : 0;
  count.start = start;
  count.otherStart = leftStart;
  count.otherUsed = leftUsed;
  return count.used;
}
