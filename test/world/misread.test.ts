import { describe, expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import { createWorkspace } from '../cli/workspace.ts';
import { forEachTest } from '../support/lifetime.ts';

/* What looks like one thing and is another. A value that is misread does more harm than one that is not read. */

const workspace = forEachTest(() => createWorkspace());

async function imported(name: string, content: string | Uint8Array, ...flags: string[]) {
  const path = workspace.write(name, content as Buffer);
  const summary = await workspace.output('import', path, ...flags);
  const animals = (await workspace.animals()).map(({ name: called, status, profile }) => ({
    ...{ name: called, status },
    ...Object.fromEntries(
      Object.entries(profile ?? {}).filter(([, value]) => value !== null && value !== undefined),
    ),
  }));
  return { summary, animals };
}

const csv = (...lines: string[]) => `${lines.join('\n')}\n`;

test('ASM writes 0 for yes and 1 for no, of what an animal gets along with', async () => {
  const animal = { ANIMALNAME: 'Rook', SPECIESNAME: 'Dog', ISGOODWITHDOGS: 0, ISGOODWITHCATS: 1 };
  const bare = await imported('bare.json', JSON.stringify([animal]));
  expect(bare.animals[0]).not.toHaveProperty('goodWithDogs');
  expect(bare.summary).toContain('Not used: ISGOODWITHDOGS, ISGOODWITHCATS.');
  const named = { ...animal, ISGOODWITHDOGSNAME: 'Yes', ISGOODWITHCATSNAME: 'No' };
  const { animals } = await imported('named.json', JSON.stringify([named]));
  expect(animals.at(-1)).toMatchObject({ goodWithDogs: 'yes', goodWithCats: 'no' });
});

test.each([
  ['Adopted', 'No', 'Yes'],
  ['adoptado', '', 'sí'],
  ['isDeceased', 'false', 'true'],
  ['ARCHIVED', '0', '1'],
  ['NONSHELTERANIMAL', '0', '1'],
  ['Vermittelt', 'nein', 'ja'],
  ['Adopted by', '', 'Jo Smith'],
  ['Adopted', '', '2026-03-04'],
])('who is gone by the column %s is not offered', async (column, here, gone) => {
  const { animals } = await imported(
    'animals.csv',
    csv(`Name,Species,${column}`, `Nell,Dog,${here}`, `Gone,Dog,${gone}`),
  );
  expect(animals.map(({ name }) => name)).toEqual(['Nell']);
});

test('an animal that is not available, without a reason, is asked for', async () => {
  const file = csv('Name,Species,Available', 'Nell,Dog,yes', 'Tess,Dog,no');
  const { animals, summary } = await imported('animals.csv', file);
  expect(animals.map(({ name }) => name)).toEqual(['Nell']);
  expect(summary).toContain('1 rejected');
  const flags = ['--status', 'Available', '--status-map', 'yes=available,no=pending'];
  expect((await imported('again.csv', file, ...flags)).animals.at(-1)?.status).toBe('pending');
});

test('a place is no status', async () => {
  const { animals } = await imported(
    'animals.csv',
    csv('ANIMALNAME,SPECIESNAME,DISPLAYLOCATIONNAME', 'Nell,Dog,Foster', 'Tess,Cat,Cattery'),
  );
  expect(animals.map(({ name }) => name)).toEqual(['Nell', 'Tess']);
});

test('what stands in brackets counts', async () => {
  const { animals } = await imported(
    'animals.csv',
    csv(
      'Name,Species,Status',
      ...['Nell,Dog,Available (kennel 3)', 'Gone,Dog,Available (adopted 3/2)'],
      ...['Back,Dog,Adopted (returned)', 'Left,Dog,Adopted (foster to adopt)'],
    ),
  );
  expect(animals.map(({ name }) => name)).toEqual(['Nell']);
});

test('a status that nobody knows is asked for, whatever else is in its column', async () => {
  const words = ['Available', 'Asleep', 'Over it', 'Adopted 3/4', 'With Jo', 'With God'];
  const rows = words.map((word, n) => `Pet ${n},Dog,${word}`);
  const { animals } = await imported('animals.csv', csv('Name,Species,Status', ...rows));
  expect(animals.map(({ name }) => name)).toEqual(['Pet 0']);
});

test('a day of an adoption that cannot be told is one all the same', async () => {
  const { animals } = await imported(
    'animals.csv',
    csv('Name,Species,Adoption Date', 'Nell,Dog,', 'Gone,Dog,1/4/2026', 'Next,Dog,12/31/2199'),
  );
  expect(animals.map(({ name }) => name)).toEqual(['Nell', 'Next']);
});

test.each([
  ['Spay/Neuter', ['N', 'S', ''], [true, true, undefined]],
  ['Spay/Neuter', ['N', 'Y', ''], [false, true, undefined]],
  ['animal_sterilization', ['N', 'T', 'F'], [undefined, true, false]],
])(
  'letters in %s mean what the others of the column say: %j',
  async (column, letters, expected) => {
    const rows = letters.map((letter, n) => `Pet ${n},Dog,${letter}`);
    const { animals } = await imported('animals.csv', csv(`Name,Species,${column}`, ...rows));
    expect(animals.map((animal) => Object(animal).neutered)).toEqual(expected);
  },
);

describe('of the movements of an animal', () => {
  const HEADER =
    'sheltercode,animalname,speciesname,intakedate,movementdate,movementtype,returndate';
  test.each([
    ['the last one counts', ['2026-03-08,Adoption,', '2026-03-01,Foster,2026-03-10'], []],
    ['a return counts', ['2026-03-08,Adoption,2026-04-01'], ['available']],
    [
      'a return and an adoption on one day',
      ['2026-03-08,Adoption,2026-04-01', '2026-04-01,Transfer,'],
      [],
    ],
  ])('%s', async (_what, movements, expected) => {
    const rows = movements.map((movement) => `D1,Thor,Dog,2026-02-01,${movement}`);
    const { animals } = await imported('movements.csv', csv(HEADER, ...rows));
    expect(animals.map(({ status }) => status)).toEqual(expected as 'available'[]);
  });
});

test('breeds, colours and places hold what they say, and nothing beside it', async () => {
  const animal = {
    ...{ Name: 'Alto', Type: 'Dog', Breed: 'Terrier/Mixed Breed (Large)', Color: 'Tan/None' },
    ...{ CurrentLocation: { Tier1: 'Main' }, DOBUnixTime: 1618284800, CurrentWeightPounds: '10' },
  };
  const { animals } = await imported('animals.json', JSON.stringify({ animals: [animal] }));
  expect(animals[0]).toMatchObject({ breed: 'Terrier', mixed: true, colours: ['Tan'] });
  expect(animals[0]).toMatchObject({ birthDate: '2021-04-13', weightGrams: 4536 });
  for (const none of ['secondBreed', 'location']) expect(animals[0]).not.toHaveProperty(none);
});

test('animals by their ids, deep in a document, are rows', async () => {
  const data = { 9: { animalName: 'Fig', animalSpecies: 'Dog', animalOKWithCats: 'No' } };
  const { animals } = await imported('data.json', JSON.stringify({ status: 'ok', data }, null, 1));
  expect(animals).toMatchObject([{ name: 'Fig', goodWithCats: 'no' }]);
});

test('a document of thousands of animals by their ids is read whole', async () => {
  const ids = Array.from({ length: 3_500 }, (_, n) => `a${n}`);
  const data = ids.map((id) => [id, { name: `Fig ${id}`, species: 'Dog' }]);
  const { animals } = await imported(
    'data.json',
    JSON.stringify({ data: Object.fromEntries(data) }),
  );
  expect(animals).toHaveLength(ids.length);
  expect(animals.at(-1)?.name).toBe('Fig a3499');
});

describe('a spreadsheet', () => {
  /** Sheets of rows. A number is a cell with the style of a date. */
  function book(
    sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>,
    more = '',
  ) {
    const cell = (one: string | number) =>
      typeof one === 'number'
        ? `<c s="1"><v>${one}</v></c>`
        : `<c t="inlineStr"><is><t>${one}</t></is></c>`;
    const names = Object.keys(sheets);
    const list = names.map((name, at) => `<sheet name="${name}" r:id="r${at}"/>`).join('');
    const links = names.map((_, at) => `<Relationship Id="r${at}" Target="worksheets/${at}.xml"/>`);
    const parts: Record<string, string> = {
      'xl/workbook.xml': `<workbook><workbookPr ${more}/><sheets>${list}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
      'xl/styles.xml':
        '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    };
    for (const [at, rows] of Object.values(sheets).entries()) {
      const lines = rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('');
      parts[`xl/worksheets/${at}.xml`] = `<worksheet><sheetData>${lines}</sheetData></worksheet>`;
    }
    return zipSync(
      Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])),
    );
  }

  test.each([
    ['', 44197],
    ['date1904="1"', 44197 - 1462],
  ])('has the days of its calendar: %s', async (more, day) => {
    // A date that was typed as a text stands beside them.
    const rows = [
      ['Name', 'Species', 'DOB'],
      ['Nell', 'Dog', day],
      ['Tess', 'Dog', '25/12/2019'],
    ];
    const { animals } = await imported('animals.xlsx', book({ List: rows }, more));
    expect(animals).toMatchObject([{ birthDate: '2021-01-01' }, { birthDate: '2019-12-25' }]);
  });

  test('with a sheet for each kind is one table, and other sheets are named', async () => {
    const { animals, summary } = await imported(
      'animals.xlsx',
      book({
        'Read me': [['For volunteers']],
        Dogs: [
          ['Id', 'Name'],
          ['1', 'Rex'],
        ],
        Cats: [
          ['Id', 'Name'],
          ['2', 'Mia'],
        ],
        Old: [],
      }),
    );
    expect(animals).toMatchObject([{ species: 'dog' }, { name: 'Mia', species: 'cat' }]);
    expect(summary).toContain('Not read: the sheets "Read me".');
  });

  test.each([
    ['.ods or .numbers', zipSync({ 'content.xml': strToU8('<x/>') })],
    ['unpack it', zipSync({ 'animals.csv': strToU8('Name\n') })],
    ['a web page', strToU8('<html><table><tr><td>Name</td></tr></table></html>')],
  ])('of another kind is told so: %s', async (said, bytes) => {
    const { exitCode, stderr } = await workspace.run(
      'import',
      workspace.write('a.xls', Buffer.from(bytes)),
    );
    expect([exitCode, stderr.includes(said)]).toEqual([1, true]);
  });
});
