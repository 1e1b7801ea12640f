import { DAY_MS } from './clock.ts';
import type { PetStatus } from './pet.ts';

/** Categories in the statistics: those with the most animals. */
export const STATS_CATEGORIES_MAX = 100;
/** Weeks in the statistics, the current one included. */
export const STATS_WEEKS = 52;

/** A category with the number of its animals. */
interface CategoryCount {
  readonly id: bigint;
  readonly name: string;
  readonly pets: number;
}

/** The orders completed in a week. */
interface WeekCount {
  /** Weeks since the one that contains the Unix epoch: see `weekAt`. */
  readonly week: number;
  readonly completed: number;
}

/** The storage contract of statistics. */
export interface StatsStorage {
  /** Returns the number of animals by status. */
  pets(): Promise<Readonly<Record<PetStatus, number>>>;
  /** Returns the categories with the most animals, first the largest, then by id. */
  categories(most: number): Promise<readonly CategoryCount[]>;
  /** Returns the weeks from `first` on in which orders were completed, in order. */
  adoptions(first: number): Promise<readonly WeekCount[]>;
}

const WEEK_DAYS = 7;
/** The Unix epoch was a Thursday; weeks start on Monday. */
const EPOCH_DAYS = 3;

/** Returns the ISO 8601 week of UTC that contains a time in milliseconds since the Unix epoch. */
export function weekAt(time: number): number {
  return Math.floor((Math.floor(time / DAY_MS) + EPOCH_DAYS) / WEEK_DAYS);
}

/** Returns the name of a week in ISO 8601: `2026-W47`. */
export function weekName(week: number): string {
  // The year of a week is that of its Thursday.
  const thursday = week * WEEK_DAYS * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / DAY_MS / WEEK_DAYS) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
}
