import { type Handlers, parseAll, type Refuse } from './xlsx-xml.ts';

/** Returns the bytes of a part by its path. */
export type Part = (path: string) => Uint8Array | undefined;

/** The visible sheets in their order, and whether their days are counted from 1904, as old Macs did. */
export function sheetsIn(part: Part, refuse: Refuse) {
  const ids = new Map<string, string>();
  let is1904 = false;
  const open: Handlers['open'] = (name, { state = 'visible', date1904, ...attributes }) => {
    if (name === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true';
    const id = attributes['r:id'];
    if (name === 'sheet' && state === 'visible' && id) ids.set(id, attributes.name ?? '');
  };
  parseAll(part('xl/workbook.xml'), { open }, refuse);
  const paths = new Map<string, string>();
  const find: Handlers['open'] = (name, { Id = '', Target = '' }) => {
    if (name === 'Relationship') paths.set(Id, Target.startsWith('/') ? Target : `xl/${Target}`);
  };
  parseAll(part('xl/_rels/workbook.xml.rels'), { open: find }, refuse);
  const listed = [...ids].flatMap(([id, name]) => {
    const path = paths.get(id);
    return path === undefined ? [] : [{ name, path }];
  });
  return { listed, is1904 };
}

/** Reads the texts that cells share. */
export function stringsOf(bytes: Uint8Array | undefined, refuse: Refuse): string[] {
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
