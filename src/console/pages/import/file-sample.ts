/** Reading a file in the browser as the service does, to show what is in it before anything is sent. */
import { createCsvSource } from '../../../import/csv-rows.ts';
import { ImportFailure } from '../../../import/failure.ts';
import { createJsonSource, isJsonDocument } from '../../../import/json-rows.ts';
import { createNdjsonSource } from '../../../import/ndjson-rows.ts';
import { binaryKind, NOT_TEXT, SIGNATURE_BYTES } from '../../../import/not-text.ts';

/** Rows that are shown. */
const ROWS_SHOWN = 5;
/** A column with more different values than this holds no statuses. */
const VALUES_MAX = 50;
/** Values of a column that tell what it is, and how much of each. */
const FIRST_MAX = 200;
const VALUE_CHARACTERS = 300;
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
  /** The first values of each column, from which it is recognised. */
  readonly first: ReadonlyMap<string, readonly string[]>;
  /** How often each value of a column occurs, for columns with few different values. Case does not count. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const NO_ROWS = 'There are no rows in this file. The first line must name the columns.';

/** Reads a file to its end. Throws `ImportFailure` with a message for a person. */
export async function sampleOf(bytes: ArrayBuffer, encoding: string): Promise<FileSample> {
  const start = new TextDecoder(encoding).decode(bytes.slice(0, CHUNK_BYTES)).trimStart();
  const isDocument = isJsonDocument(start);
  const format = isDocument || start.startsWith('{') ? 'ndjson' : 'csv';
  const openRows = format === 'csv' ? createCsvSource : createNdjsonSource;
  const open = isDocument ? createJsonSource : openRows;
  const source = open('The file', () => textOf(bytes, encoding));
  const rows: Row[] = [];
  const values = new Map<string, Map<string, number>>();
  const first = new Map<string, string[]>();
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
    for (const name of columns) {
      const value = row.text(name).trim();
      count(values, name, value);
      const own = first.get(name) ?? [];
      first.set(name, own);
      if (value !== '' && own.length < FIRST_MAX) own.push(value.slice(0, VALUE_CHARACTERS));
    }
  }
  if (rowCount === 0) throw new ImportFailure(NO_ROWS);
  const few = [...values].filter(([, { size }]) => size <= VALUES_MAX);
  return {
    format,
    columns: [...source.columns.keys()],
    rows,
    rowCount,
    first,
    values: new Map(few),
  };
}

/** Counts a value, until those of its column are too many. */
function count(values: Map<string, Map<string, number>>, column: string, value: string): void {
  const counts = values.get(column) ?? new Map<string, number>();
  const same = counts.has(value)
    ? value
    : ([...counts.keys()].find((one) => one.toLowerCase() === value.toLowerCase()) ?? value);
  if (counts.size <= VALUES_MAX) counts.set(same, (counts.get(same) ?? 0) + 1);
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

/** The most that the service takes in one file. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;

/** A file, ready to be sent. */
export interface ChosenFile {
  readonly name: string;
  readonly bytes: ArrayBuffer;
  readonly encoding: string;
  readonly sample: FileSample;
  /** The file in UTF-8, with the media type of its format. */
  readonly upload: Blob;
}

/** The encodings to choose from. Spreadsheets write files in that of their country. */
export const ENCODINGS = [
  { value: 'utf-8', label: 'Unicode (UTF-8)' },
  { value: 'windows-1252', label: 'Western European (Windows-1252)' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
  { value: 'utf-16le', label: 'Unicode (UTF-16)' },
];

const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Reads a file. Throws `ImportFailure` with advice for a file that is no table. */
export async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > FILE_MAX_BYTES) {
    throw new ImportFailure(
      'This file is larger than 64 MB. Split it, or import it with the command "petstore import".',
    );
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new ImportFailure('This file cannot be read. Is it still there?');
  });
  requireText(bytes, file.name);
  return inEncoding({ name: file.name, bytes }, encodingOf(bytes));
}

/** Reads the file again in another encoding. Throws `ImportFailure`. */
export async function inEncoding(
  { name, bytes }: Pick<ChosenFile, 'name' | 'bytes'>,
  encoding: string,
): Promise<ChosenFile> {
  const sample = await sampleOf(bytes, encoding);
  const type = MEDIA_TYPES[sample.format];
  const isSent = encoding === 'utf-8';
  const upload = new Blob([isSent ? bytes : new TextDecoder(encoding).decode(bytes)], { type });
  return { name, bytes, encoding, sample, upload };
}

/** UTF-8 if the file is, else what is most likely. */
function encodingOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

const SPREADSHEET =
  'This file is a spreadsheet. Open it, save it as CSV, and import that file; the command "petstore import" takes .xlsx too.';

/** Throws `ImportFailure` for a file that cannot hold rows, by its first bytes or its name. */
function requireText(bytes: ArrayBuffer, name: string): void {
  const start = new Uint8Array(bytes, 0, Math.min(SIGNATURE_BYTES, bytes.byteLength));
  const isSpreadsheet = /\.(?:xlsx?|ods|numbers)$/i.test(name);
  const kind = binaryKind(start);
  if (isSpreadsheet || kind === 'xlsx') throw new ImportFailure(SPREADSHEET);
  if (kind !== undefined) throw new ImportFailure(`This file ${NOT_TEXT[kind]}`);
}
