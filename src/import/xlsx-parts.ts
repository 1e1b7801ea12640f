import { Parser } from 'htmlparser2';
import type { ImportFailure } from './failure.ts';
import { othersTurn } from './table-rows.ts';

/** Returns the bytes of a part by its path. */
type Part = (path: string) => Uint8Array | undefined;

/** The visible sheets in their order, and whether their days are counted from 1904, as old Macs did. */
export async function sheetsIn(part: Part, refuse: Refuse) {
  const ids = new Map<string, string>();
  let is1904 = false;
  const open: Handlers['open'] = (name, { state = 'visible', date1904, ...attributes }) => {
    if (name === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true';
    const id = attributes['r:id'];
    if (name === 'sheet' && state === 'visible' && id) ids.set(id, attributes.name ?? '');
  };
  await parseAll(part('xl/workbook.xml'), { open }, refuse);
  const paths = new Map<string, string>();
  const find: Handlers['open'] = (name, { Id = '', Target = '' }) => {
    if (name === 'Relationship') paths.set(Id, Target.startsWith('/') ? Target : `xl/${Target}`);
  };
  await parseAll(part('xl/_rels/workbook.xml.rels'), { open: find }, refuse);
  const listed = [...ids].flatMap(([id, name]) => {
    const path = paths.get(id);
    return path === undefined ? [] : [{ name, path }];
  });
  return { listed, is1904 };
}

/** Reads the texts that cells share. */
export async function stringsOf(bytes: Uint8Array | undefined, refuse: Refuse): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let isPhonetic = false;
  await parseAll(
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

/** The numbers of the formats for dates that every spreadsheet knows, and the texts of own ones. */
const isDateFormat = (id: number, code: string | undefined) =>
  code === undefined
    ? (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
    : /[yd]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''));

/** Returns the numbers of the styles that show a date. */
export async function dateStylesIn(
  bytes: Uint8Array | undefined,
  refuse: Refuse,
): Promise<Set<number>> {
  const codes = new Map<number, string>();
  const dates = new Set<number>();
  let style = -1;
  const open: Handlers['open'] = (name, { numFmtId, formatCode }) => {
    const id = Number(numFmtId ?? 0);
    if (name === 'numFmt') codes.set(id, formatCode ?? '');
    if (name === 'cellXfs') style = 0;
    if (name !== 'xf' || style < 0) return;
    if (isDateFormat(id, codes.get(id))) dates.add(style);
    style++;
  };
  const close: Handlers['close'] = (name) => {
    if (name === 'cellXfs') style = -1;
  };
  await parseAll(bytes, { open, close }, refuse);
  return dates;
}

/** Makes the failure of a file, from what is wrong with it. */
export type Refuse = (why: string) => ImportFailure;

/** What is done with the XML of a part. */
interface Handlers {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Creates a parser of the XML of a spreadsheet, with names without their prefixes. */
export function parserOf({ open, close, text }: Handlers, refuse: Refuse): Parser {
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

/** Bytes that are parsed before others have their turn. */
const PIECE = 256 * 1024;

/** Decodes a part in pieces: a small file can unpack to one that takes seconds to parse. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (let start = 0; start < bytes.length; start += PIECE) {
    yield decoder.decode(bytes.subarray(start, start + PIECE), { stream: true });
    await othersTurn();
  }
  yield decoder.decode();
}

/** Parses a whole part, if there is one. */
async function parseAll(
  bytes: Uint8Array | undefined,
  handlers: Handlers,
  refuse: Refuse,
): Promise<void> {
  if (bytes === undefined) return;
  const parser = parserOf(handlers, refuse);
  for await (const piece of piecesOf(bytes)) parser.write(piece);
  parser.end();
}
