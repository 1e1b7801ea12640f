/** Reading a file in the browser as the service does, to show what is in it before anything is sent. */

import { createCsvSource } from '../../../import/csv-rows.ts';
import { ImportFailure } from '../../../import/failure.ts';
import { headerMark } from '../../../import/header-mark.ts';
import { createJsonSource, isJsonDocument } from '../../../import/json-rows.ts';
import { createNdjsonSource } from '../../../import/ndjson-rows.ts';
import { binaryKind, NOT_TEXT, SIGNATURE_BYTES } from '../../../import/not-text.ts';
import { type Recognition, recognise } from '../../../import/recognise.ts';
import type { Row, RowSource } from '../../../import/row-source.ts';
import type { Options } from '../../components/field.tsx';
import { t } from '../../language.ts';
import { ToldFailure } from './reasons.ts';

/** Rows that tell the form of dates, some of which are shown. */
const ROWS_KEPT = 200;
/** A column with more different values than this holds no statuses. */
const VALUES_MAX = 50;
/** Values of a column that tell what it is, and how much of each. */
const FIRST_MAX = 200;
const VALUE_CHARACTERS = 300;
/** Bytes that are read at once: the page stays responsive. */
const CHUNK_BYTES = 64 * 1024;

const loadReaders = () => import('./readers.ts');

type Format = 'csv' | 'ndjson' | 'json' | 'xlsx';

/** What a file holds. */
export interface FileSample {
  readonly format: Format;
  readonly columns: readonly string[];
  /** Tells its columns from those of other files, as the service does. */
  readonly header: string;
  /** What the columns are without any choice. */
  readonly recognised: Recognition;
  /** The first rows. */
  readonly rows: readonly Row[];
  readonly rowCount: number;
  /** The first values of each column, from which it is recognised. */
  readonly first: ReadonlyMap<string, readonly string[]>;
  /** How often each value of a column occurs, for columns with few different values. Case does not count. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const NO_ROWS = t`There are no rows in this file. The first line must name the columns.`;

/** Reads a file to its end. Throws `ImportFailure` with a message for a person. */
export async function sampleOf(bytes: ArrayBuffer, encoding: string): Promise<FileSample> {
  const { source, format } = await openSource(bytes, encoding);
  const rows: Row[] = [];
  const values = new Map<string, Map<string, number>>();
  const first = new Map<string, string[]>();
  let rowCount = 0;
  // Rows are not collected: a large file has more of them than a phone has memory for.
  for await (const row of source.rows()) {
    if (++rowCount <= ROWS_KEPT) rows.push(row);
    try {
      // It is rejected whatever is in it.
      row.cell('');
    } catch {
      if (format !== 'ndjson') continue;
      throw new ToldFailure(t`Line ${row.line} is not JSON.`);
    }
    for (const name of source.columns.keys()) {
      const value = row.text(name).trim();
      count(values, name, value);
      const own = first.get(name) ?? [];
      first.set(name, own);
      if (value !== '' && own.length < FIRST_MAX) own.push(value.slice(0, VALUE_CHARACTERS));
    }
  }
  if (rowCount === 0) throw new ToldFailure(NO_ROWS);
  const few = [...values].filter(([, { size }]) => size <= VALUES_MAX);
  const columns = [...source.columns.keys()];
  return {
    ...{ format, columns, rows, rowCount, first },
    header: headerMark(columns),
    recognised: recognise({}, source.columns, first),
    values: new Map(few),
  };
}

async function openSource(
  bytes: ArrayBuffer,
  encoding: string,
): Promise<{ readonly source: RowSource; readonly format: Format }> {
  const name = t`The file`;
  if (kindOf(bytes) === 'xlsx') {
    const { createXlsxSource } = await loadReaders();
    return { source: createXlsxSource(name, new Uint8Array(bytes)), format: 'xlsx' };
  }
  const start = new TextDecoder(encoding).decode(bytes.slice(0, CHUNK_BYTES)).trimStart();
  if (start === '') throw new ToldFailure(NO_ROWS);
  const text = () => textOf(bytes, encoding);
  if (isJsonDocument(start)) return { source: createJsonSource(name, text), format: 'json' };
  return start.startsWith('{')
    ? { source: createNdjsonSource(name, text), format: 'ndjson' }
    : { source: createCsvSource(name, text), format: 'csv' };
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
  readonly previewOf: Awaited<ReturnType<typeof loadReaders>>['previewOf'];
  /** The file in UTF-8, with the media type of its format. */
  readonly upload: Blob;
}

/** The encodings to choose from. Spreadsheets write files in that of their country. */
export const ENCODINGS: Options = [
  ['utf-8', t`Unicode (UTF-8)`],
  ['windows-1252', t`Western European (Windows-1252)`],
  ['windows-1250', t`Central European (Windows-1250)`],
  ['windows-1251', t`Cyrillic (Windows-1251)`],
  ['euc-kr', t`Korean (EUC-KR)`],
  ['utf-16le', t`Unicode (UTF-16)`],
];

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Reads a file. Throws `ImportFailure` with advice for a file that is no table. */
export async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > FILE_MAX_BYTES) {
    throw new ToldFailure(
      t`This file is larger than 64 MB. Split it, or import it with the command "petstore import".`,
    );
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new ToldFailure(t`This file cannot be read. Is it still there?`);
  });
  const kind = kindOf(bytes);
  if (kind !== undefined && kind !== 'xlsx') {
    throw new ImportFailure(NOT_TEXT[kind]);
  }
  const encoding = kind === 'xlsx' ? 'utf-8' : await encodingOf(file.name, bytes);
  return inEncoding({ name: file.name, bytes }, encoding);
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
  const { previewOf } = await loadReaders();
  return { name, bytes, encoding, sample, previewOf, upload };
}

/** The encoding that the service finds; where it is not sure, the most frequent one to begin with. */
async function encodingOf(name: string, bytes: ArrayBuffer): Promise<string> {
  const { findEncoding } = await loadReaders();
  const found = findEncoding(name, new Blob([bytes]).stream(), '').then(({ encoding }) => encoding);
  return found.catch(() => 'windows-1252');
}

/** What a file is, by its first bytes; undefined for text. */
const kindOf = (bytes: ArrayBuffer) =>
  binaryKind(new Uint8Array(bytes, 0, Math.min(SIGNATURE_BYTES, bytes.byteLength)));
