import { type Columns, type ImportMapping, textIn } from './columns.ts';
import { Rejection, type Row } from './row-source.ts';
import { type StatusChoice, statusOf } from './status-map.ts';

/** How many rows have a value in their status column, and what becomes of them. */
export interface StatusCount {
  readonly value: string;
  /** Undefined where nothing says what the value means, so that the rows are rejected. */
  readonly choice: StatusChoice | undefined;
  readonly rows: number;
}

/** Counts the values of a status column. */
export interface StatusTally {
  add(row: Row): void;
  /** The most frequent value first. */
  counts(): readonly StatusCount[];
}

/** Gives a tally for a mapping and its columns. */
export function createStatusTally({ statusMap }: ImportMapping, { status }: Columns): StatusTally {
  const rowsOf = new Map<string, number>();
  return {
    add(row) {
      try {
        const value = textIn(row, status);
        rowsOf.set(value, (rowsOf.get(value) ?? 0) + 1);
      } catch (error) {
        // The row is broken, and is rejected for that.
        if (!(error instanceof Rejection)) throw error;
      }
    },
    counts: () =>
      [...rowsOf]
        .map(([value, rows]) => ({ value, choice: statusOf(value, statusMap), rows }))
        .sort((a, b) => b.rows - a.rows),
  };
}
