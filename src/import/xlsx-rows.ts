import { unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { ImportFailure } from './failure.ts';
import { COLUMNS_MAX, type RowSource, tooManyColumns } from './row-source.ts';
import { createTableSource, type TableRecord } from './table-rows.ts';

/** The parts of a spreadsheet that are read, unpacked. */
const UNPACKED_MAX = 64 * 1024 * 1024;
/** Characters that are parsed before others have their turn. */
const CHUNK = 256 * 1024;
const NEEDED =
  /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|worksheets\/[^/]+\.xml)$/;

/** Reads the first sheet of a spreadsheet (Office Open XML). `bytes` are the whole file. */
export function createXlsxSource(name: string, bytes: Uint8Array): RowSource {
  const refuse = (why: string) => new ImportFailure(`${name} ${why}; nothing was imported.`);
  let book: Book | undefined;
  return createTableSource(name, () => {
    book ??= openBook(bytes, refuse);
    return recordsOf(name, book, refuse);
  });
}

interface Book {
  readonly sheet: Uint8Array;
  readonly strings: readonly string[];
}
type Refuse = (why: string) => ImportFailure;

function openBook(bytes: Uint8Array, refuse: Refuse): Book {
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
  const sheets = Object.keys(parts).filter((path) => path.startsWith('xl/worksheets/'));
  const first = firstSheet(part('xl/workbook.xml'), part('xl/_rels/workbook.xml.rels'), refuse);
  const sheet = part(first ?? '') ?? part(sheets.sort()[0] ?? '');
  if (sheet === undefined) throw refuse('has no sheet');
  return { sheet, strings: stringsOf(part('xl/sharedStrings.xml'), refuse) };
}

interface Handlers {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

function parserOf({ open, close, text }: Handlers, refuse: Refuse): Parser {
  const local = (name: string) => name.replace(/^.*:/, '');
  return new Parser(
    {
      onopentag: (name, attributes) => open(local(name), attributes),
      onclosetag: (name) => close?.(local(name)),
      ontext: (data) => text?.(data),
      onprocessinginstruction(name) {
        if (name.startsWith('!')) throw refuse('has a document type, which no spreadsheet has');
      },
    },
    { xmlMode: true },
  );
}

function parseAll(bytes: Uint8Array | undefined, handlers: Handlers, refuse: Refuse): void {
  if (bytes !== undefined) parserOf(handlers, refuse).end(new TextDecoder().decode(bytes));
}

function firstSheet(
  book: Uint8Array | undefined,
  relations: Uint8Array | undefined,
  refuse: Refuse,
): string | undefined {
  let id: string | undefined;
  let path: string | undefined;
  const open: Handlers['open'] = (name, { state, ...attributes }) => {
    if (name === 'sheet' && (state ?? 'visible') === 'visible') id ??= attributes['r:id'];
  };
  parseAll(book, { open }, refuse);
  const find: Handlers['open'] = (name, { Id, Target = '' }) => {
    if (name === 'Relationship' && Id === id) path = Target;
  };
  parseAll(relations, { open: find }, refuse);
  return path === undefined || path.startsWith('/') ? path : `xl/${path}`;
}

function stringsOf(bytes: Uint8Array | undefined, refuse: Refuse): string[] {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let isPhonetic = false;
  parseAll(
    bytes,
    {
      open(name) {
        if (name === 'si') text = '';
        if (name === 'rPh') isPhonetic = true;
        isText = name === 't' && !isPhonetic;
      },
      close(name) {
        if (name === 'si') strings.push(text);
        if (name === 'rPh') isPhonetic = false;
        isText = false;
      },
      text(part) {
        if (isText) text += part;
      },
    },
    refuse,
  );
  return strings;
}

/** `C` is the third column. */
function columnAt(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

async function* recordsOf(
  name: string,
  { sheet, strings }: Book,
  refuse: Refuse,
): AsyncGenerator<TableRecord> {
  let ready: TableRecord[] = [];
  let fields: string[] = [];
  let line = 0;
  let column = 0;
  let type: string | undefined;
  let text = '';
  let isValue = false;
  const parser = parserOf(
    {
      open(tag, { r, t }) {
        if (tag === 'row') {
          line = Number(r) || line + 1;
          fields = [];
          column = 0;
        } else if (tag === 'c') {
          column = columnAt(r) ?? column;
          if (column >= COLUMNS_MAX) throw tooManyColumns(name);
          type = t;
          text = '';
        }
        isValue = tag === 'v' || tag === 't';
      },
      close(tag) {
        isValue = false;
        if (tag === 'row') ready.push({ line, fields: Array.from(fields, (one) => one ?? '') });
        if (tag !== 'c') return;
        fields[column] = cellText(type, text, strings);
        column++;
      },
      text(part) {
        if (isValue) text += part;
      },
    },
    refuse,
  );
  const decoder = new TextDecoder();
  for (let start = 0; start < sheet.length; start += CHUNK) {
    parser.write(decoder.decode(sheet.subarray(start, start + CHUNK), { stream: true }));
    const records = ready;
    ready = [];
    yield* records;
    await new Promise((resolve) => setTimeout(resolve));
  }
  parser.end(decoder.decode());
  yield* ready;
}

function cellText(type: string | undefined, text: string, strings: readonly string[]): string {
  switch (type) {
    case 's':
      return strings[Number(text)] ?? '';
    case 'b':
      return text === '1' ? 'yes' : 'no';
    case 'e':
      return '';
    case undefined:
    case 'n':
      // Spreadsheets store 4.2 as 4.2000000000000002.
      return /^-?\d+\.\d{10,}$/.test(text) ? String(Number(Number(text).toPrecision(12))) : text;
    default:
      return text;
  }
}
