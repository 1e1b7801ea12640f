import type { Write } from './group-commit.ts';

/** Rows per maintenance transaction: a few milliseconds, during which requests wait. */
const ROWS_AT_ONCE = 500;

/** Writes rows in several transactions, for rows that need not be written together. */
export async function writeInSlices<Row>(
  write: Write,
  rows: readonly Row[],
  work: (row: Row) => void,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const slice = rows.slice(from, from + ROWS_AT_ONCE);
    await write(() => {
      for (const row of slice) work(row);
    });
  }
}
