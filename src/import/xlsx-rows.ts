import { unzipSync } from 'fflate';
import { DAY_MS } from '../domain/clock.ts';
import { ImportFailure } from './failure.ts';
import { notASpreadsheet } from './not-text.ts';
import { COLUMNS_MAX, type RowSource, tooManyColumns } from './row-source.ts';
import {
  createTableSource,
  headerAt,
  KNOWN_MIN,
  knownIn,
  type TableRecord,
  TITLES_MAX,
} from './table-rows.ts';
import {
  dateStylesIn,
  parserOf,
  piecesOf,
  type Refuse,
  sheetsIn,
  stringsOf,
} from './xlsx-parts.ts';

/** The parts of a spreadsheet that are read, unpacked. */
const UNPACKED_MAX = 64 * 1024 * 1024;
/** Each sheet is looked at, several times. */
const SHEETS_MAX = 1_000;
/** Days up to the year 9999. */
const DAYS_MAX = 2_950_000;
const NEEDED =
  /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/[^/]+\.xml)$/;
/** The column that names the sheet of a row, where several sheets are one table. */
const SHEET = 'Sheet';

/**
 * Reads a spreadsheet (Office Open XML). `bytes` are the whole file. The first sheet with headers of animals counts,
 * and those with the same headers: some shelters have a sheet for each kind.
 */
export function createXlsxSource(name: string, bytes: Uint8Array): RowSource {
  const refuse = (why: string) => new ImportFailure(`${name} ${why}; nothing was imported.`);
  let book: Book | undefined;
  let chosen: Chosen | undefined;
  const source = createTableSource(name, async function* () {
    book ??= await openBook(bytes, refuse);
    chosen ??= await chooseSheets(name, book, refuse);
    yield* tableOf(name, book, chosen, refuse);
  });
  return Object.defineProperties(source, { note: { get: () => noteOf(chosen?.leftOut ?? []) } });
}

function noteOf(leftOut: readonly Sheet[]): string | undefined {
  const names = leftOut.map(({ name }) => `"${name.slice(0, 31)}"`);
  return names.length === 0 ? undefined : `Not read: the sheets ${names.join(', ')}.`;
}

/** The sheets that are one table, with their header, and those that are left out. */
interface Chosen {
  readonly sheets: readonly Sheet[];
  readonly header: string | undefined;
  readonly leftOut: readonly Sheet[];
}

interface Book {
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** The numbers of the styles that show a date. */
  readonly dateStyles: ReadonlySet<number>;
  /** The day 0 of its dates, in milliseconds. */
  readonly dayZero: number;
}
interface Sheet {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function openBook(bytes: Uint8Array, refuse: Refuse): Promise<Book> {
  let unpacked = 0;
  let parts: Record<string, Uint8Array>;
  try {
    parts = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!NEEDED.test(name)) return false;
        unpacked += originalSize;
        if (unpacked > UNPACKED_MAX) {
          throw refuse('is larger than 64 MB when it is unpacked: save it as CSV');
        }
        return true;
      },
    });
  } catch (error) {
    if (error instanceof ImportFailure) throw error;
    throw refuse('is no spreadsheet that can be read: save it as CSV');
  }
  const part = (path: string) => parts[path.replace(/^\//, '')];
  const others = Object.keys(parts).filter((path) => path.startsWith('xl/worksheets/'));
  const { listed, is1904 } = await sheetsIn(part, refuse);
  if (listed.length > SHEETS_MAX)
    throw refuse(`has more than ${SHEETS_MAX} sheets: save one as CSV`);
  const visible = listed.length > 0 ? listed : others.sort().map((path) => ({ name: '', path }));
  const sheets = visible.flatMap(({ name, path }) => {
    const sheet = part(path);
    return sheet === undefined ? [] : [{ name, bytes: sheet }];
  });
  if (sheets.length === 0) throw refuse(notASpreadsheet(bytes));
  return {
    sheets,
    strings: await stringsOf(part('xl/sharedStrings.xml'), refuse),
    dateStyles: await dateStylesIn(part('xl/styles.xml'), refuse),
    dayZero: is1904 ? Date.UTC(1904, 0) : Date.UTC(1899, 11, 30),
  };
}

/** `C` is the third column. */
function columnAt(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Chooses the first sheet with headers of animals, and those with the same headers. */
async function chooseSheets(name: string, book: Book, refuse: Refuse): Promise<Chosen> {
  const { sheets } = book;
  const headers: (string | undefined)[] = [];
  for (const sheet of sheets) headers.push(await headerOf(recordsOf(name, sheet, book, refuse)));
  const first = Math.max(0, headers.findIndex(Boolean));
  const header = headers[first];
  const same = sheets.filter(
    (_, at) => at === first || (Boolean(header) && headers[at] === header),
  );
  const leftOut = sheets.filter((sheet, at) => !same.includes(sheet) && headers[at] !== '');
  return { sheets: same, header, leftOut };
}

/** The rows of the chosen sheets. Those of several get a column more. */
async function* tableOf(
  name: string,
  book: Book,
  { sheets, header }: Chosen,
  refuse: Refuse,
): AsyncGenerator<TableRecord> {
  let before = 0;
  for (const sheet of sheets) {
    let last = before;
    for await (const { line, fields } of recordsOf(name, sheet, book, refuse)) {
      last = before + line;
      if (sheets.length === 1) yield { line, fields };
      else {
        const isHeader = header === textOf(fields);
        yield { line: last, fields: [...fields, isHeader ? SHEET : sheet.name] };
      }
    }
    before = last;
  }
}

const textOf = (fields: readonly string[]) => fields.join('\n').trimEnd();

/** The header of a sheet of animals, found in its first rows; empty for an empty sheet. */
async function headerOf(records: AsyncIterable<TableRecord>): Promise<string | undefined> {
  const first: TableRecord[] = [];
  for await (const record of records) {
    first.push(record);
    if (first.length === TITLES_MAX) break;
  }
  const at = await headerAt(first);
  const fields = first[at]?.fields ?? [];
  if (first.every((record) => textOf(record.fields) === '')) return '';
  return knownIn(fields) >= KNOWN_MIN ? textOf(fields) : undefined;
}

async function* recordsOf(
  name: string,
  { bytes: sheet }: Sheet,
  book: Book,
  refuse: Refuse,
): AsyncGenerator<TableRecord> {
  let ready: TableRecord[] = [];
  let fields: string[] = [];
  let line = 0;
  let column = 0;
  let type: string | undefined;
  let style = 0;
  let text = '';
  let isValue = false;
  const parser = parserOf(
    {
      open(tag, { r, t, s }) {
        if (tag === 'row') {
          line = Number(r) || line + 1;
          fields = [];
          column = 0;
        } else if (tag === 'c') {
          column = columnAt(r) ?? column;
          if (column >= COLUMNS_MAX) throw tooManyColumns(name);
          type = t;
          style = Number(s ?? 0);
          text = '';
        }
        isValue = tag === 'v' || tag === 't';
      },
      close(tag) {
        isValue = false;
        if (tag === 'row') ready.push({ line, fields: Array.from(fields, (one) => one ?? '') });
        if (tag !== 'c') return;
        fields[column] = cellText(type, text, style, book);
        column++;
      },
      text(part) {
        if (isValue) text += part;
      },
    },
    refuse,
  );
  for await (const piece of piecesOf(sheet)) {
    parser.write(piece);
    const records = ready;
    ready = [];
    yield* records;
  }
  parser.end();
  yield* ready;
}

function cellText(
  type: string | undefined,
  text: string,
  style: number,
  { strings, dateStyles, dayZero }: Book,
): string {
  switch (type) {
    case 's':
      return strings[Number(text)] ?? '';
    case 'b':
      return text === '1' ? 'yes' : 'no';
    case 'e':
      return '';
    case undefined:
    case 'n': {
      const number = Number(text);
      if (text === '' || Number.isNaN(number)) return text;
      if (dateStyles.has(style) && number >= 1 && number < DAYS_MAX) {
        return new Date(dayZero + Math.floor(number) * DAY_MS).toISOString().slice(0, 10);
      }
      // Spreadsheets store 4.2 as 4.2000000000000002, and long numbers as 9.85E+14.
      return /\.\d{10,}$|E/i.test(text) ? String(Number(number.toPrecision(15))) : text;
    }
    default:
      return text;
  }
}
