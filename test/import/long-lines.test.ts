import { describe, expect, spyOn, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import { createCsvSource } from '../../src/import/csv-rows.ts';
import { createNdjsonSource } from '../../src/import/ndjson-rows.ts';
import { COLUMNS_MAX, LINE_CHARACTERS_MAX, type RowSource } from '../../src/import/row-source.ts';
import { createXlsxSource } from '../../src/import/xlsx-rows.ts';

const SOURCES = { csv: createCsvSource, ndjson: createNdjsonSource };
/** As a file arrives from the disk. */
const CHUNK = 16_384;

/** Reads a text to its end, and returns the number of its rows. */
async function read(format: keyof typeof SOURCES, text: string): Promise<number> {
  async function* chunks() {
    for (let start = 0; start < text.length; start += CHUNK) {
      yield text.slice(start, start + CHUNK);
    }
  }
  const source: RowSource = SOURCES[format]('The file', chunks);
  return (await Array.fromAsync(source.rows())).length;
}

/** Everything else waits while one line is parsed, so a line has a bound. */
describe('a line of NDJSON', () => {
  const line = (length: number) => `{"name":"${'x'.repeat(length - '{"name":""}'.length)}"}`;

  test('may be as long as the bound, at any place', async () => {
    const longest = line(LINE_CHARACTERS_MAX);
    expect(await read('ndjson', `${longest}\n${longest}\n{}\n${longest}`)).toBe(4);
  });

  test.each(['\n', '\n{}\n', ''])('is refused beyond it, followed by %j', async (after) => {
    const text = `{}\n${line(LINE_CHARACTERS_MAX + 1)}${after}`;
    await expect(read('ndjson', text)).rejects.toThrow('line 2 is too long');
  });
});

describe('columns', () => {
  const names = (count: number, first = 0) =>
    Array.from({ length: count }, (_, index) => `c${first + index}`);
  const row = (columns: readonly string[]) =>
    JSON.stringify(Object.fromEntries(columns.map((name) => [name, ''])));

  test('are read up to the bound', async () => {
    const header = names(COLUMNS_MAX).join(',');
    expect(await read('csv', `${header}\n${'x,'.repeat(COLUMNS_MAX - 1)}\n`)).toBe(1);
    expect(await read('ndjson', row(names(COLUMNS_MAX)))).toBe(1);
  });

  test('are refused beyond it, also if each row has others', async () => {
    const message = `has more than ${COLUMNS_MAX} columns`;
    const header = names(COLUMNS_MAX + 1).join(',');
    await expect(read('csv', `${header}\nx\n`)).rejects.toThrow(message);
    const rows = names(COLUMNS_MAX + 1).map((name) => row([name]));
    await expect(read('ndjson', rows.join('\n'))).rejects.toThrow(message);
  });
});

/** Reads a spreadsheet with an empty sheet and these parts. */
function readSheets(parts: Readonly<Record<string, string>>) {
  const all = Object.entries({ 'worksheets/1.xml': '<worksheet/>', ...parts });
  const bytes = zipSync(Object.fromEntries(all.map(([path, xml]) => [`xl/${path}`, strToU8(xml)])));
  return Array.fromAsync(createXlsxSource('The file', bytes).rows());
}

test('a small spreadsheet with a long part lets others have their turns', async () => {
  using turns = spyOn(globalThis, 'setTimeout');
  const strings = `<sst>${'<si/>'.repeat(1_000_000)}</sst>`;
  await expect(readSheets({ 'sharedStrings.xml': strings })).rejects.toThrow('is empty');
  expect(turns.mock.calls.length).toBeGreaterThan(15);
});

test('a spreadsheet has a bounded number of sheets', async () => {
  const listed = (n: number) => `<sheet r:id="r${n}"/>`;
  const linked = (n: number) => `<Relationship Id="r${n}" Target="worksheets/1.xml"/>`;
  const all = (one: (n: number) => string) =>
    `<x>${Array.from({ length: 1_001 }, (_, n) => one(n)).join('')}</x>`;
  const parts = { 'workbook.xml': all(listed), '_rels/workbook.xml.rels': all(linked) };
  await expect(readSheets(parts)).rejects.toThrow('more than 1000 sheets');
});
