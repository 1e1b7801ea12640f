/** Reading a file in the browser as the service does, to show what is in it before anything is sent. */
import { createCsvSource } from '../../../import/csv-rows.ts';
import { ImportFailure } from '../../../import/failure.ts';
import { createNdjsonSource } from '../../../import/ndjson-rows.ts';

/** Rows that are shown. */
const ROWS_SHOWN = 5;
/** A column with more different values than this holds no statuses. */
const VALUES_MAX = 50;
/** Bytes that are read at once: the page stays responsive. */
const CHUNK_BYTES = 64 * 1024;

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, string>>;

/** What a file holds. */
export interface FileSample {
  readonly format: 'csv' | 'ndjson';
  readonly columns: readonly string[];
  /** The first rows. */
  readonly rows: readonly Row[];
  readonly rowCount: number;
  /** How often each value of a column occurs, for columns with few different values. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const NO_ROWS = 'There are no rows in this file. The first line must name the columns.';

/** Reads a file to its end. Throws `ImportFailure` with a message for a person. */
export async function sampleOf(bytes: ArrayBuffer, encoding: string): Promise<FileSample> {
  const start = new TextDecoder(encoding).decode(bytes.slice(0, CHUNK_BYTES)).trimStart();
  const format = start.startsWith('{') ? 'ndjson' : 'csv';
  const open = format === 'csv' ? createCsvSource : createNdjsonSource;
  const source = open('The file', () => textOf(bytes, encoding));
  const rows: Row[] = [];
  const values = new Map<string, Map<string, number>>();
  let rowCount = 0;
  if (start === '') throw new ImportFailure(NO_ROWS);
  // Rows are not collected: a large file has more of them than a phone has memory for.
  for await (const row of source.rows()) {
    const isFirst = ++rowCount <= ROWS_SHOWN;
    const columns = [...source.columns.keys()];
    if (isFirst) rows.push(Object.fromEntries(columns.map((name) => [name, row.text(name)])));
    try {
      // It is rejected whatever is in it.
      row.cell('');
    } catch {
      if (format === 'csv') continue;
      throw new ImportFailure(`Line ${row.line} is not JSON.`);
    }
    for (const name of columns) count(values, name, row.text(name).trim());
  }
  if (rowCount === 0) throw new ImportFailure(NO_ROWS);
  const few = [...values].filter(([, { size }]) => size <= VALUES_MAX);
  return { format, columns: [...source.columns.keys()], rows, rowCount, values: new Map(few) };
}

/** Counts a value, until those of its column are too many. */
function count(values: Map<string, Map<string, number>>, column: string, value: string): void {
  const counts = values.get(column) ?? new Map<string, number>();
  if (counts.size <= VALUES_MAX) counts.set(value, (counts.get(value) ?? 0) + 1);
  values.set(column, counts);
}

async function* textOf(bytes: ArrayBuffer, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) {
    yield decoder.decode(bytes.slice(start, start + CHUNK_BYTES), { stream: true });
    await new Promise((resolve) => setTimeout(resolve));
  }
  yield decoder.decode();
}
