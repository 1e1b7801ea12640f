/** Reading a file in the browser as the service does, to show what is in it before anything is sent. */

import { headerMark } from '../../../import/header-mark.ts';
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

/** What a file holds. */
export interface FileSample {
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
async function sampleOf(source: RowSource): Promise<FileSample> {
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
    } catch (error) {
      if (!/^the line /.test((error as Error).message)) continue;
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
    ...{ columns, rows, rowCount, first },
    header: headerMark(columns),
    recognised: recognise({}, source.columns, first),
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

/** The most that the service takes in one file. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;

/** A file, ready to be sent. */
export interface ChosenFile {
  readonly name: string;
  readonly bytes: ArrayBuffer;
  readonly encoding: string;
  readonly sample: FileSample;
  readonly previewOf: Awaited<ReturnType<typeof loadReaders>>['previewOf'];
  /** The file, a text in UTF-8. */
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
  return readIn({ name: file.name, bytes });
}

/** Reads the file again in another encoding; at first in the one that is found. Throws `ImportFailure`. */
export async function readIn(
  { name, bytes }: Pick<ChosenFile, 'name' | 'bytes'>,
  wanted?: string,
): Promise<ChosenFile> {
  if (bytes.byteLength === 0) throw new ToldFailure(NO_ROWS);
  const { findEncoding, openSource, previewOf } = await loadReaders();
  const file = { name: t`The file`, bytes: bytes.byteLength, read: () => chunksOf(bytes) };
  // Where it is not sure, the most frequent one to begin with.
  const guess = () =>
    findEncoding(name, chunksOf(bytes), '').catch(() => ({ encoding: 'windows-1252' }));
  const { source, encoding } = await openSource(file, wanted ?? (await guess()).encoding, '');
  const isSent = encoding === 'utf-8';
  const upload = new Blob([isSent ? bytes : new TextDecoder(encoding).decode(bytes)], {
    type: 'application/octet-stream',
  });
  return { name, bytes, encoding, sample: await sampleOf(source), previewOf, upload };
}

async function* chunksOf(bytes: ArrayBuffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) {
    yield new Uint8Array(bytes.slice(start, start + CHUNK_BYTES));
    await new Promise((resolve) => setTimeout(resolve));
  }
}
