import { DAY_MS } from './clock.ts';

/** The units of an age. */
export type TimeUnit = 'day' | 'month' | 'year';

/** Returns the whole months of the calendar between two dates (YYYY-MM-DD). */
export function monthsBetween(from: string, to: string): number {
  const [start, end] = [new Date(from), new Date(to)];
  return (
    (end.getUTCFullYear() - start.getUTCFullYear()) * 12 +
    (end.getUTCMonth() - start.getUTCMonth()) -
    (end.getUTCDate() < start.getUTCDate() ? 1 : 0)
  );
}

/**
 * Returns the time between two dates (YYYY-MM-DD): in whole days, from a month on in whole calendar months, from two
 * years on in whole years. `smallest` is the smallest unit to use; 0 means less than one.
 */
export function timeBetween(
  from: string,
  to: string,
  smallest: TimeUnit = 'day',
): readonly [number: number, unit: TimeUnit] {
  const months = Math.max(0, monthsBetween(from, to));
  if (months >= 24 || smallest === 'year') return [Math.floor(months / 12), 'year'];
  if (months >= 1 || smallest === 'month') return [months, 'month'];
  return [Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS)), 'day'];
}
