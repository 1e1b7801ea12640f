import { describe, expect, test } from 'bun:test';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const workspace = forEachTest(() => createWorkspace());

const names = async () => (await workspace.animals()).map(({ name }) => name);

describe('the separator of a CSV file is detected', () => {
  test.each<[what: string, content: string, names: string[], ...flags: string[]]>([
    [
      'by semicolons',
      'name;categoryId\n"Rex; a dog";1\nMax, a dog;2\n',
      ['Rex; a dog', 'Max, a dog'],
    ],
    ['by tabs', 'name\tcategoryId\nRex; a dog\t1\n"a, b"\t2\n', ['Rex; a dog', 'a, b']],
    ['by commas beside others', 'name,categoryId,a;b\nRex; a dog,1,\n', ['Rex; a dog']],
    [
      'by commas beside as many others',
      'name,categoryId;\nRex,1\n',
      ['Rex'],
      '--category-id',
      'categoryId;',
    ],
    ['under a header with quotes', '"a,b,c,\n""d"",e";"name";categoryId\n;Rex;1\n', ['Rex']],
    ['under only a header', 'name;categoryId', []],
    ['after blank lines', '\r\n\r\nname;categoryId\r\nRex;1\r\n', ['Rex']],
    ['after an empty name', ';name;categoryId\n;Rex;1\n', ['Rex']],
    ['after a byte-order mark', '\ufeffname;categoryId\nRex;1\n', ['Rex']],
  ])('%s', async (_what, content, expected, ...flags) => {
    const path = workspace.write('animals.csv', content);
    await workspace.output('import', path, ...flags);
    expect(await names()).toEqual(expected);
  });

  test('even if the header is longer than one read', async () => {
    // Fewer characters than a line may have, but more bytes than a read takes.
    const columns = Array.from({ length: 900 }, (_, i) => `${'é'.repeat(60)} ${i}`);
    const content = `${columns.join(';')};name;categoryId\n${';'.repeat(900)}Rex;1\n`;
    await workspace.importCsv(content);
    expect(await names()).toEqual(['Rex']);
  });

  test('in a .tsv file too', async () => {
    await workspace.output('import', workspace.write('animals.tsv', 'name\tcategoryId\nRex\t1\n'));
    expect(await names()).toEqual(['Rex']);
  });

  test('and rejected rows are written with commas, and can be imported', async () => {
    await workspace.importCsv('name;categoryId\n"Rex, a dog";x\n');
    const path = workspace.path('animals.csv.rejected.csv');
    const corrected = (await Bun.file(path).text()).replace(',x\n', ',7\n');
    await workspace.importCsv(corrected);
    expect(await names()).toEqual(['Rex, a dog']);
  });
});

describe('--encoding', () => {
  const TEXT = 'name;categoryId\nChloé “Ö” €;1\n';
  const windows1252 = Uint8Array.from([
    ...new TextEncoder().encode('name;categoryId\nChlo'),
    ...[0xe9, 0x20, 0x93, 0xd6, 0x94, 0x20, 0x80],
    ...new TextEncoder().encode(';1\n'),
  ]);
  const utf16 = Uint8Array.from([0xff, 0xfe, ...Buffer.from(TEXT, 'utf16le')]);

  test.each([
    ['windows-1252', windows1252],
    ['utf-16le', utf16],
    ['utf-8', new TextEncoder().encode(TEXT)],
  ])('%s reads what is encoded so', async (encoding, bytes) => {
    const path = workspace.write('animals.csv', bytes);
    expect(await workspace.output('import', path, '--encoding', encoding)).toContain('1 new');
    expect(await names()).toEqual(['Chloé “Ö” €']);
  });

  test.each([
    ['utf16le', TEXT],
    ['utf16be', TEXT],
    ['utf16le', '{"name":"Chloé “Ö” €","categoryId":7}\n'],
  ] as const)('without it, %s is found without a byte-order mark', async (encoding, text) => {
    const bytes = Buffer.from(text, 'utf16le');
    if (encoding === 'utf16be') bytes.swap16();
    const path = workspace.write('animals.csv', bytes);
    expect(await workspace.output('import', path)).toContain('1 new');
    expect(await names()).toEqual(['Chloé “Ö” €']);
  });

  test.each<[RegExp, Uint8Array, ...flags: string[]]>([
    [/its encoding is not sure: --encoding windows-1252 if "Chloé “Ö” €" is right/, windows1252],
    [/is not utf-16le text; leave out --encoding/, utf16.subarray(0, -1), '--encoding', 'utf-16le'],
  ])('is requested if the file cannot be decoded: %p', async (message, bytes, ...flags) => {
    const path = workspace.write('animals.csv', bytes);
    expectFailure(await workspace.run('import', path, ...flags), 1, message);
    expect(workspace.exists('petstore.db')).toBe(false);
  });

  test('must be a known encoding', async () => {
    const path = workspace.write('animals.csv', 'name,categoryId\n');
    const finished = await workspace.run('import', path, '--encoding', 'latin17');
    expectFailure(finished, 2, /an encoding of the WHATWG standard/);
  });
});
