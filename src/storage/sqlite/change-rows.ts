import type { Database } from 'bun:sqlite';
import { CHANGE_COLUMNS, type ChangeRow } from '../rows/change.ts';

export const CHANGE_ROW_COLUMNS = `id, ${CHANGE_COLUMNS.join(', ')}`;

/** Reads the change log in order of its ids. */
export interface ChangeRows {
  /** Returns the greatest id; 0 for an empty log. */
  newestId(): bigint;
  /** Returns the rows with a greater id, at most `limit`. */
  after(id: bigint, limit: number): ChangeRow[];
}

/** Creates the reader of the change log in SQLite. */
export function createChangeRows(database: Database): ChangeRows {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM changes');
  const after = database.query<ChangeRow, [bigint, number]>(
    `SELECT ${CHANGE_ROW_COLUMNS} FROM changes WHERE id > ? ORDER BY id LIMIT ?`,
  );
  return {
    newestId: () => newest.get()?.id ?? 0n,
    after: (id, limit) => after.all(id, limit),
  };
}
