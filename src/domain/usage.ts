import { DAY_MS, HOUR_MS } from './clock.ts';

/** The periods that requests are counted by. They start with an hour or a day of UTC. */
export const USAGE_PERIODS = ['hour', 'day'] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** The length of each period in milliseconds. */
export const PERIOD_MS: Record<UsagePeriod, number> = { hour: HOUR_MS, day: DAY_MS };

/** How far back counts can be requested, in milliseconds. */
export const USAGE_KEPT_MS: Record<UsagePeriod, number> = { hour: 7 * DAY_MS, day: 400 * DAY_MS };

/** The requests of a key in a period. */
export interface UsageCounts {
  /** Charged requests. */
  readonly requests: number;
  /** Requests answered with 429, which are not charged. */
  readonly refused: number;
  /** Charged requests answered with 5xx. */
  readonly errors: number;
}

/** The counts of a period, with its start in milliseconds since the Unix epoch. */
export interface PeriodUsage extends UsageCounts {
  readonly start: number;
}

/** The counts of a key. A key and its successors are counted separately. */
export interface KeyUsage extends UsageCounts {
  readonly keyId: bigint;
}

/** The counts of a key in an hour. */
export interface HourUsage extends KeyUsage, PeriodUsage {}

/** Periods to read: those that start at or after `from` and before `to`. */
export interface UsageRange {
  readonly period: UsagePeriod;
  /** Milliseconds since the Unix epoch, as `to`. */
  readonly from: number;
  readonly to: number;
}

/** The storage contract of usage. */
export interface UsageStorage {
  /**
   * Adds counts to those of their hours and days, all of them or none, so that the counts of several
   * processes sum. Each key and hour may occur once. Counts of keys that do not exist are dropped. If
   * the failure `isInDoubt`, they may have been added.
   */
  add(usage: readonly HourUsage[]): Promise<void>;
  /** Returns the counts of a key, or the sums of all keys, by start. Periods without counts are left out. */
  list(keyId: bigint | undefined, range: UsageRange): Promise<readonly PeriodUsage[]>;
  /** Returns the keys with the most requests, charged or refused, the busiest first. */
  busiest(range: UsageRange, most: number): Promise<readonly KeyUsage[]>;
  /** Removes at most `most` periods that start before `time`, and returns their number. */
  removeExpired(period: UsagePeriod, time: number, most: number): Promise<number>;
}

/** Counts the requests of keys in memory, until they are stored. */
export interface UsageCounter {
  /** Counts a request that was charged or refused at `at`, in milliseconds since the Unix epoch. */
  count(keyId: bigint, at: number, outcome: keyof UsageCounts): void;
  /** As that of the storage, for one key and with the counts that are not stored yet. */
  list(keyId: bigint, range: UsageRange): Promise<readonly PeriodUsage[]>;
  /** Stores the counts. What cannot be stored waits for the next flush. */
  flush(): Promise<void>;
}

/** Returns the start of the period that contains `time`. */
export function periodStart(period: UsagePeriod, time: number): number {
  return Math.floor(time / PERIOD_MS[period]) * PERIOD_MS[period];
}

/** Returns the time before which periods are removed: a period later than they can be requested. */
export function usageExpiry(period: UsagePeriod, now: number): number {
  return periodStart(period, now) - USAGE_KEPT_MS[period] - PERIOD_MS[period];
}

/** Returns every period of a range, with zeros for those without counts. */
export function withEmptyPeriods(
  { period, from, to }: UsageRange,
  counted: readonly PeriodUsage[],
): readonly PeriodUsage[] {
  const byStart = new Map(counted.map((usage) => [usage.start, usage]));
  const all: PeriodUsage[] = [];
  for (let start = from; start < to; start += PERIOD_MS[period]) {
    all.push(byStart.get(start) ?? { start, requests: 0, refused: 0, errors: 0 });
  }
  return all;
}
