import { type Columns, type ImportMapping, textIn } from './columns.ts';
import { Rejection, type Row } from './row-source.ts';
import { type StatusChoice, statusOf } from './status-map.ts';

/** The number of rows with one value in the status column. */
export interface StatusCount {
  readonly value: string;
  /** Undefined if the value has no mapping, so its rows are rejected. */
  readonly choice: StatusChoice | undefined;
  readonly rows: number;
}

/** Counts the values of a status column. */
export interface StatusTally {
  add(row: Row): void;
  /** The most frequent value first. */
  counts(): readonly StatusCount[];
}

export function createStatusTally({ statusMap }: ImportMapping, { status }: Columns): StatusTally {
  const rowsOf = new Map<string, number>();
  return {
    add(row) {
      try {
        const value = textIn(row, status);
        rowsOf.set(value, (rowsOf.get(value) ?? 0) + 1);
      } catch (error) {
        // A broken row is rejected elsewhere.
        if (!(error instanceof Rejection)) throw error;
      }
    },
    counts: () =>
      [...rowsOf]
        .map(([value, rows]) => ({ value, choice: statusOf(value, statusMap), rows }))
        .sort((a, b) => b.rows - a.rows),
  };
}
