import { describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const workspace = forEachTest(() => createWorkspace());

/** Imports a file that must be refused before anything is written, even the database. */
async function expectRefusal(path: string, message: RegExp, ...flags: string[]): Promise<void> {
  const finished = await workspace.run('import', path, ...flags);
  expectFailure(finished, 1, message);
  expect(workspace.exists('petstore.db')).toBe(false);
  expect(workspace.exists(`${path}.rejected.csv`)).toBe(false);
}

/** Enough rows that an import could write the first ones long before it finds a fault after them. */
const MANY_ROWS = 'Rex,1\n'.repeat(20_000);
const bytes = (text: string) => new TextEncoder().encode(text);

describe('an invalid file imports nothing:', () => {
  test('a missing file', () =>
    expectRefusal(
      workspace.path('missing.csv'),
      /^petstore: there is no file .*missing\.csv\.\n$/,
    ));

  test('a folder', () => {
    mkdirSync(workspace.path('animals.csv'));
    return expectRefusal(workspace.path('animals.csv'), /is not a regular file/);
  });

  test.each([
    [
      'an unclosed quote',
      `name,categoryId\n${MANY_ROWS}"Rex,1\nAy,1\n`,
      /line 20002 has a quote that is never/,
    ],
    [
      'text after a closing quote',
      `name,categoryId\n${MANY_ROWS}"Re"x,1\n`,
      /line 20002 has a misplaced quote/,
    ],
    [
      'a quote inside',
      `name,categoryId\n"a\r\nb",1\n${MANY_ROWS}Re"x,1\n`,
      /line 20004 has a misplaced quote/,
    ],
    ['a row without end', `name,categoryId\n"${MANY_ROWS.repeat(10)}`, /line 2 is too long/],
    ['nothing in it', '', /is empty/],
    ['only blank lines', '\n\n', /is empty/],
    [
      'no header',
      'Rex,1\nAy,2\n',
      /No column of names: --name with one of them\. If there is none: --unnamed 'Animal \{Rex\}'\. No column of categories: .*columns are "Rex", "1"/,
    ],
    ['a column missing', 'name,room\nRex,3\n', /: No column of categories: --category with one/],
    ['two columns of one name', 'name,name,categoryId\nRex,Ay,1\n', /has 2 columns "name"/],
  ])('CSV with %s', (_what, content, message) =>
    expectRefusal(workspace.write('animals.csv', content), message),
  );

  test.each([
    ['a stray byte', [...bytes(`name,categoryId\n${MANY_ROWS}Ren`), 0xe9, 0x65, 0x2c, 0x31]],
    ['half a character at its end', [...bytes('name,categoryId\nRex,1\nRen'), 0xc3]],
    ['half a surrogate pair', [...bytes('name,categoryId\nRe'), 0xed, 0xa0, 0x80]],
  ])('CSV with %s', (_what, content) =>
    expectRefusal(workspace.write('animals.csv', Uint8Array.from(content)), /is not UTF-8 text/),
  );

  test.each<[string, Uint8Array, RegExp, ...flags: string[]]>([
    [
      'a workbook',
      bytes('PK\x03\x04\n"a"b'),
      /animals\.csv is no spreadsheet that can be read: save it as CSV/,
    ],
    ['a PDF', bytes('%PDF-1.7\n"a"b\n'), /is not a text file with rows\. Save the table as CSV/],
    [
      'a picture, in an encoding that fits anything',
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a),
      /is not a text file with rows/,
      ...['--encoding', 'windows-1252'],
    ],
  ])('named CSV, but %s', (_what, content, message, ...flags) =>
    expectRefusal(workspace.write('animals.csv', content), message, ...flags),
  );

  test.each([
    ['nothing in it', ' \n', /is empty/],
    ['a line without end', `{"name":"${'x'.repeat(2 ** 21)}`, /line 1 is too long/],
    [
      'no member of the name',
      '{"Nom de":"Rex","categoryId":1}\n',
      /No column of names.*"Nom de", "/,
    ],
  ])('NDJSON with %s', (_what, content, message) =>
    expectRefusal(workspace.write('animals.ndjson', content), message),
  );

  test.each([
    ['--name', ['--name', 'Nom']],
    ['--category', ['--category', 'Nom']],
    ['--category-id', ['--category-id', 'Nom']],
    ['--status', ['--status', 'Nom']],
    ['--external-id', ['--external-id', 'Nom']],
    ['--unnamed', ['--unnamed', 'A {categoryId} of {Nom}']],
  ])('one without the column that %s names', (flag, flags) =>
    expectRefusal(
      workspace.write('animals.csv', 'name,categoryId\nRex,1\n'),
      new RegExp(`no column "Nom", which ${flag} names.* columns are "name", "categoryId"`),
      ...flags,
    ),
  );

  test('no column for the status map', () =>
    expectRefusal(
      workspace.write('animals.csv', 'name,categoryId\nRex,1\n'),
      /It has no column "status"; --status names another/,
      ...['--status-map', '*=sold'],
    ));

  test('all missing columns at once', () =>
    expectRefusal(
      workspace.write('animals.csv', 'id\n1\n'),
      /no column "a".* no column "b".*no column "c"/,
      ...['--name', 'a', '--category', 'b', '--external-id', 'c'],
    ));
});

describe('wrong usage exits with 2:', () => {
  test.each<[RegExp, ...string[]]>([
    [/missing required argument/],
    [/too many arguments/, 'a.csv', 'b.csv'],
    [/cannot be used with/, 'a.csv', '--category', 'a', '--category-id', 'b'],
    [/"Adoption" must be VALUE=STATUS/, 'a.csv', '--status-map', 'Adoption'],
    [/"Adoption=gone" must be VALUE=STATUS/, 'a.csv', '--status-map', 'x=sold,Adoption=gone'],
    [/maps "x" twice/, 'a.csv', '--status-map', 'x=sold, x=skip'],
    [/"" must be VALUE=STATUS/, 'a.csv', '--status-map', 'x=sold,'],
    [/must not be empty/, 'a.csv', '--unnamed', ' '],
    [/Each \{ needs a \}/, 'a.csv', '--unnamed', 'A {Kind'],
    [/Each \{ needs a \}/, 'a.csv', '--unnamed', 'A Kind}'],
    [/unknown option/, 'a.csv', '--names', 'x'],
    [/argument missing/, 'a.csv', '--name'],
  ])('%p', async (message, ...args) => {
    workspace.write('a.csv', 'name,categoryId\nRex,1\n');
    expectFailure(await workspace.run('import', ...args), 2, message);
    expect(workspace.exists('petstore.db')).toBe(false);
  });
});

describe('a database that cannot be used', () => {
  test('fails with one sentence, and the file is unchanged', async () => {
    workspace.write('petstore.db', 'not a database, not at all'.repeat(9));
    const path = workspace.write('animals.csv', 'name,categoryId\nRex,1\n,1\n');
    for (const flags of [[], ['--dry-run']]) {
      expectFailure(await workspace.run('import', path, ...flags), 1, /is not a database/);
    }
    expect(workspace.exists('animals.csv.rejected.csv')).toBe(false);
  });
});
