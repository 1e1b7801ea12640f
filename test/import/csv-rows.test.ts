import { describe, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { createCsvSource } from '../../src/import/csv-rows.ts';
import { COLUMNS_MAX, ROW_CHARACTERS_MAX } from '../../src/import/row-source.ts';

/** Reads rows from chunks of a size, each as its line and name. */
async function read(text: string, size = text.length): Promise<unknown[]> {
  async function* chunks() {
    for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
  }
  const rows = [];
  for await (const row of createCsvSource('The file', chunks).rows()) {
    rows.push([row.line, row.cell('name')]);
  }
  return rows;
}

describe('empty lines of a CSV file', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('are no rows, and count as lines: %s', async (_, end) => {
    const lines = ['', 'name,categoryId', '', '', 'Rex,1', '', '"To', '', 'm",2', '', 'Luna,3', ''];
    const text = lines.join(end);
    const expected = [
      [5, 'Rex'],
      [7, `To${end}${end}m`],
      [11, 'Luna'],
    ];
    for (const size of [1, 2, 7, text.length]) expect(await read(text, size)).toEqual(expected);
  });

  test('count in the message about a quote', async () => {
    const text = 'name,categoryId\n\nRex,1\n\n\n"Tom,2\n\n';
    await expect(read(text)).rejects.toThrow(
      'the row that starts on line 6 has a quote that is never',
    );
  });

  test('make no errors, which would cost more than rows', async () => {
    using capture = spyOn(Error, 'captureStackTrace');
    expect(await read(`name,categoryId\n${'\n'.repeat(10_000)}Rex,1\n`)).toEqual([[10_002, 'Rex']]);
    expect(capture).not.toHaveBeenCalled();
  });
});

describe('a first line that says the separator', () => {
  test.each([
    ['sep=;', ';'],
    ['SEP=,', ','],
    ['sep=\t', '\t'],
    ['"sep=;"', ';'],
  ])('%j is taken, and counts as a line', async (line, sign) => {
    for (const end of ['\n', '\r\n', '\r']) {
      // Another sign is more frequent in the header.
      const text = [line, '', `name${sign}a,b;c,d;e`, `Rex, Tom${sign}1`, ''].join(end);
      const quoted = sign === ';' || sign === ',' ? text.replace('a,b;c,d;e', '"a,b;c,d;e"') : text;
      const rows = quoted.replace('Rex, Tom', '"Rex, Tom"');
      for (const size of [1, 2, 7, rows.length]) {
        expect(await read(rows, size)).toEqual([[4, 'Rex, Tom']]);
      }
    }
  });

  test.each(['sep=;\n', 'sep=;', 'sep=;\n\n'])('%j alone is an empty file', async (text) => {
    await expect(read(text)).rejects.toThrow('is empty; its first line must name the columns');
  });

  test('counts in the message about a quote', async () => {
    await expect(read('sep=;\nname;id\nRex;1\nRe"x;2\n')).rejects.toThrow('starts on line 4 has');
  });

  test.each(['sep=;x', 'sep', 'sep=|'])('%j is a header', async (column) => {
    expect(await read(`${column},name\n1,Rex\n`)).toEqual([[2, 'Rex']]);
  });
});

/** The parser does not count separators and quotes, but each empty field takes memory. */
describe('a row', () => {
  const HEADER = 'name,categoryId\n';
  /** As an upload is read. */
  const CHUNK = 16_384;
  const LONGER = 3 * ROW_CHARACTERS_MAX;

  test.each([
    ['separators', HEADER, ',', 2],
    ['empty fields in quotes', HEADER, '"",', 2],
    ['a header of separators', '', ',', 1],
    [
      'separators after many rows and empty lines',
      HEADER + 'Rex,1\n\n'.repeat(70_000),
      ',',
      140_002,
    ],
  ])('is refused if it is too long, at any place: %s', async (_, before, unit, line) => {
    const text = before + unit.repeat(LONGER / unit.length);
    const message = `the row that starts on line ${line} is too long`;
    await expect(read(text, CHUNK)).rejects.toThrow(message);
    await expect(read(`${text}\nRex,1\n`, CHUNK)).rejects.toThrow(message);
  });

  test('may have fields up to the bound, in any quotes, lines and chunks', async () => {
    const size = fc.integer({ min: 64, max: 4_096 });
    const sign = fc.constantFrom('"', ',', '\n', '\r\n', 'x');
    const columns = fc.integer({ min: 0, max: COLUMNS_MAX - 2 });
    await fc.assert(
      fc.asyncProperty(size, sign, columns, async (chunk, unit, others) => {
        const name = unit.repeat(Math.floor((ROW_CHARACTERS_MAX - 2) / unit.length));
        const row = `"${name.replaceAll('"', '""')}",1${',""'.repeat(others)}\r\n`;
        const text = `name,categoryId${',x'.repeat(others)}\r\n${row}${row}${row}`;
        const names = (await read(text, chunk)).map((read) => (read as unknown[])[1]);
        expect(names.every((read) => read === name)).toBe(true);
        expect(names).toHaveLength(3);
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  test('may follow any number of empty lines', async () => {
    const text = `${HEADER}${'\n'.repeat(LONGER)}Rex,1\n${'\r\n'.repeat(LONGER)}Tom,2`;
    expect(await read(text, CHUNK)).toEqual([
      [LONGER + 2, 'Rex'],
      [2 * LONGER + 3, 'Tom'],
    ]);
  }, 60_000);
});
