import { describe, expect, spyOn, test } from 'bun:test';
import { createCsvSource } from '../../src/import/csv-rows.ts';

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
