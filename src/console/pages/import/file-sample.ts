/** Reading a file in the browser, to show what is in it before anything is sent. */
import { CsvError, parse } from 'csv-parse/browser/esm';

/** The most that the service takes in one file. */
export const FILE_MAX_BYTES = 64 * 1024 * 1024;

/** Rows that are shown. */
const ROWS_SHOWN = 5;
/** A column with more different values than this holds no statuses. */
const VALUES_MAX = 50;
/** Lines of NDJSON that are searched for members. */
const ROWS_WITH_COLUMNS = 100;
/** Characters that are read at once: the page stays responsive. */
const CHUNK = 64 * 1024;
const SEPARATORS = [',', ';', '\t'] as const;

export type FileFormat = 'csv' | 'ndjson';

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, string>>;

/** What a file holds. */
export interface FileSample {
  readonly format: FileFormat;
  readonly columns: readonly string[];
  /** The first rows. */
  readonly rows: readonly Row[];
  readonly rowCount: number;
  /** How often each value of a column occurs, for columns with few different values. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** A file that cannot be read. The message is for a person. */
export class UnreadableFile extends Error {}

/** Reads a text to its end. Throws `UnreadableFile`. */
export async function sampleOf(text: string): Promise<FileSample> {
  const format = /^\s*\{/.test(text) ? 'ndjson' : 'csv';
  const rows: Row[] = [];
  const values = new ValueCounts();
  let rowCount = 0;
  // Rows are not collected: a large file has more of them than a phone has memory for.
  const visit = (row: Row) => {
    rowCount++;
    if (rows.length < ROWS_SHOWN) rows.push(row);
    values.add(row);
  };
  const columns = format === 'csv' ? await readCsv(text, visit) : readNdjson(text, visit);
  if (columns.length === 0 || rowCount === 0) {
    throw new UnreadableFile(
      'There are no rows in this file. The first line must name the columns.',
    );
  }
  return { format, columns, rows, rowCount, values: values.few() };
}

type Visit = (row: Row) => void;

/** Visits the rows of a CSV text, and returns its columns. Reads as the service does. */
async function readCsv(text: string, visit: Visit): Promise<readonly string[]> {
  let columns: string[] = [];
  // The parser cannot end before it has started.
  if (text === '') return columns;
  const parser = parse({
    columns(header: string[]) {
      columns = header.map((name) => name.trim());
      return columns;
    },
    delimiter: separatorIn(text),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record(row: Row) {
      visit(row);
      return null;
    },
  });
  const ended = new Promise((resolve, reject) => {
    parser.on('end', resolve).on('error', reject);
  });
  // Nothing is pushed, but the stream only ends when it is read.
  parser.resume();
  try {
    for (let start = 0; start < text.length; ) {
      // Not between the halves of a character.
      const end = start + CHUNK + (isHigh(text.charCodeAt(start + CHUNK - 1)) ? 1 : 0);
      parser.write(text.slice(start, end));
      start = end;
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve))]);
    }
    parser.end();
    await ended;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = parser.info;
    throw new UnreadableFile(`Line ${lines} has a misplaced quote, or one that is never closed.`);
  }
  return columns;
}

/** Returns whether a code unit is the first half of a surrogate pair. */
function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Returns the most frequent separator of the first line, outside of quotes. */
function separatorIn(text: string): string {
  const [header = ''] = text.trimStart().split(/[\r\n]/, 1);
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const times = (sign: string) => bare.split(sign).length;
  return SEPARATORS.reduce<string>((best, sign) => (times(sign) > times(best) ? sign : best), ',');
}

/** Visits the rows of an NDJSON text, and returns the members of its first objects. */
function readNdjson(text: string, visit: Visit): readonly string[] {
  const columns = new Set<string>();
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end).trim();
    start = end + 1;
    number++;
    if (line === '') continue;
    const row = rowOf(line, number);
    if (number <= ROWS_WITH_COLUMNS) for (const name of Object.keys(row)) columns.add(name);
    visit(row);
  }
  return [...columns];
}

function rowOf(line: string, number: number): Row {
  try {
    const members = Object.entries(JSON.parse(line));
    return Object.fromEntries(members.map(([name, value]) => [name, cellText(value)]));
  } catch {
    throw new UnreadableFile(`Line ${number} is not JSON.`);
  }
}

function cellText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Counts the values of each column until they are too many. */
class ValueCounts {
  readonly #counts = new Map<string, Map<string, number> | 'many'>();

  add(row: Row): void {
    for (const [column, cell] of Object.entries(row)) {
      const counts = this.#counts.get(column) ?? new Map<string, number>();
      if (counts === 'many') continue;
      const value = String(cell).trim();
      counts.set(value, (counts.get(value) ?? 0) + 1);
      this.#counts.set(column, counts.size > VALUES_MAX ? 'many' : counts);
    }
  }

  /** Returns the counts of the columns with few values. */
  few(): FileSample['values'] {
    const few = new Map<string, ReadonlyMap<string, number>>();
    for (const [column, counts] of this.#counts) if (counts !== 'many') few.set(column, counts);
    return few;
  }
}
