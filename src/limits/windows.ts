import type { WindowUse } from '../domain/allowance.ts';

/** The beginning of the fixed window of this length that holds `now`. UTC, as the epoch is. */
export function windowStart(now: number, lengthMs: number): number {
  return Math.floor(now / lengthMs) * lengthMs;
}

/** Use of a window that is being counted. */
export type WindowCount = { -readonly [K in keyof WindowUse]: WindowUse[K] };

/** Turns a count to the window that begins at `start`, and gives what is used of that one. */
export function turnTo(count: WindowCount, start: number): number {
  if (count.start === start) return count.used;
  const { start: leftStart, used: leftUsed } = count;
  count.used = count.otherStart === start ? count.otherUsed : 0;
  count.start = start;
  count.otherStart = leftStart;
  count.otherUsed = leftUsed;
  return count.used;
}
