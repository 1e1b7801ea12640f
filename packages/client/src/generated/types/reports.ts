// Made from openapi.json by `npm run openapi`.
import type { Separator } from './shared-words.ts';

/** Animals that came and left between two days. */
export interface StayReport {
  /** The first day. */
  from: string;
  /** The last day. It belongs to the report. */
  to: string;
  /** A row for each species and age with animals. */
  rows: readonly StayReportRow[];
  total: StayReportTotal;
}

/** The animals of a species and an age. */
export interface StayReportRow {
  /** The species, or `unknown`. */
  species: string;
  /** The age at intake: `juvenile` under 5 months. `unknown` without a birth date. */
  age: 'juvenile' | 'adult' | 'unknown';
  /** Animals that were here before the first day. */
  start: number;
  intakes: StayIntakes;
  outcomes: StayOutcomes;
  /** Animals that were here after the last day: start + intakes - outcomes. */
  end: number;
  /**
   * The part of all outcomes that were adopted, to_owner, transferred or to_field; null without
   * outcomes.
   */
  liveReleaseRate: number | null;
  /** The median stay of those who left, in days; null without any. */
  medianDays: number | null;
  /** The mean of the same. */
  meanDays: number | null;
}

/** Animals that came, by how. */
export interface StayIntakes {
  /** How many. */
  stray: number;
  /** How many. */
  owner: number;
  /** How many. */
  transfer: number;
  /** How many. */
  seized: number;
  /** How many. */
  born: number;
  /** How many. */
  return: number;
  /** How many. */
  other: number;
  /** How many. */
  unknown: number;
}

/** Animals that left, by how. */
export interface StayOutcomes {
  /** How many. */
  adopted: number;
  /** How many. */
  to_owner: number;
  /** How many. */
  transferred: number;
  /** How many. */
  to_field: number;
  /** How many. */
  died: number;
  /** How many. */
  euthanized: number;
  /** How many. */
  lost: number;
  /** How many. */
  other: number;
}

/** All rows together. */
export interface StayReportTotal {
  /** Animals that were here before the first day. */
  start: number;
  intakes: StayIntakes;
  outcomes: StayOutcomes;
  /** Animals that were here after the last day: start + intakes - outcomes. */
  end: number;
  /**
   * The part of all outcomes that were adopted, to_owner, transferred or to_field; null without
   * outcomes.
   */
  liveReleaseRate: number | null;
  /** The median stay of those who left, in days; null without any. */
  medianDays: number | null;
  /** The mean of the same. */
  meanDays: number | null;
}

/** What to list. */
export interface GetStayReportQuery {
  /** The first day: by default the first one of the year of `to`. */
  from?: string | undefined;
  /** The last day: today by default. */
  to?: string | undefined;
  /** What stands between the columns of `text/csv`: `comma` by default. */
  separator?: Separator | undefined;
  /** With `true`, `text/csv` begins with a byte-order mark, as Excel needs it. */
  bom?: 'true' | 'false' | undefined;
}
