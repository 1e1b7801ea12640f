import { DAY_MS, MINUTE_MS } from './clock.ts';

/** What is erased when it expires. Events are changes that can still be followed. */
export const ERASED = [
  ...(['events', 'changes', 'idempotent_results', 'removed_pets', 'imported_rows'] as const),
  ...(['usage_counts', 'enquiries', 'orders', 'sessions', 'api_keys', 'imports'] as const),
  ...(['deliveries', 'photo_files'] as const),
] as const;
export type ErasedTable = (typeof ERASED)[number];

/** The clock is trusted this long after the last run, or the newest record. */
const TRUSTED_MS = 7 * DAY_MS;
/** Clocks of several machines differ, and are set back a little. */
const SKEW_MS = MINUTE_MS;
/** The share of a table that may be erased in a day. */
const PART_A_DAY = 0.1;

/** The run of the retention that is due. */
export interface RetentionRun {
  /** When it ran last; before the first run, the time of the newest record then. Milliseconds since the Unix epoch. */
  readonly trustedAt: number;
  /** The first run ever, and one that `petstore erase --now` asked for, erase all that is due. */
  readonly isUnbounded: boolean;
  readonly isAsked: boolean;
}

/** How much of a table was erased in a day. */
interface Erasure {
  /** The table. */
  readonly name: string;
  /** Days since the Unix epoch. */
  readonly day: number;
  readonly rowsBefore: number;
  readonly erased: number;
}

/** The storage contract of retention: its state across processes and restarts. Days are those of `dayOf`. */
export interface RetentionStorage {
  /**
   * Returns the run that is due at `now`; undefined if there are no records yet. If the clock cannot be trusted, notes
   * that retention waits.
   */
  begin(now: number): Promise<RetentionRun | undefined>;
  /** Notes that a run ended that was due at `now`. */
  end(now: number): Promise<void>;
  /** Lets the next run trust the clock that says `now`, and erase all that is due. */
  ask(now: number): Promise<void>;
  /** Returns how many more rows of a table may be erased on a day; undefined before the first of that day. */
  left(table: ErasedTable, day: number): Promise<number | undefined>;
  /** Notes that rows were erased, and returns what was erased of the table on that day. */
  note(table: ErasedTable, day: number, erased: number): Promise<Erasure>;
}

/** What retention does in this process, for the metrics. */
export interface RetentionReport {
  readonly isWaiting: boolean;
  /** Rows that it has erased, by table. `asked` are those of `petstore erase --now`. */
  readonly erased: ReadonlyMap<ErasedTable, ErasedRows>;
}

/** Rows of a table that this process has erased. */
export interface ErasedRows {
  readonly asked: number;
  readonly due: number;
  /** The rows of the table before the first was erased on the last day with any. */
  readonly rowsBefore: number;
}

export function isTrusted(now: number, trustedAt: number): boolean {
  return now >= trustedAt - SKEW_MS && now <= trustedAt + TRUSTED_MS;
}

/** Returns how many of a table's rows may still be erased on a day: a tenth, but at least one. */
export function leftOf({ rowsBefore, erased }: Pick<Erasure, 'rowsBefore' | 'erased'>): number {
  return Math.max(0, Math.max(1, Math.floor(rowsBefore * PART_A_DAY)) - erased);
}
