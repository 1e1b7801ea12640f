import { type Handlers, parseAll, type Refuse } from './xlsx-xml.ts';

/** The numbers of the formats for dates that every spreadsheet knows, and the texts of own ones. */
const isDateFormat = (id: number, code: string | undefined) =>
  code === undefined
    ? (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
    : /[yd]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''));

/** Returns the numbers of the styles that show a date. */
export function dateStylesIn(bytes: Uint8Array | undefined, refuse: Refuse): Set<number> {
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
  parseAll(bytes, { open, close }, refuse);
  return dates;
}
