import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, type Workspace } from './workspace.ts';

const SAMPLE = join(import.meta.dir, '../../examples/austin-animals.csv');
const SAMPLE_FLAGS = [
  ...['--name', 'Name', '--category', 'AnimalType', '--external-id', 'AnimalID'],
  ...['--status', 'OutcomeType', '--status-map'],
  'Adoption=sold,Transfer=pending,Euthanasia=skip,Died=skip,*=available',
  ...['--unnamed', 'Unnamed {AnimalType} {AnimalID}'],
];

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

/** Names and statuses of all animals, in the order of their ids. */
async function namesAndStatuses(): Promise<string[]> {
  return (await workspace.animals()).map(({ name, status }) => `${name}: ${status}`);
}

describe('petstore import of the sample', () => {
  const importSample = (...flags: string[]) =>
    workspace.output('import', SAMPLE, ...SAMPLE_FLAGS, ...flags);

  test('imports every animal and prints a summary', async () => {
    const summary = await importSample();
    expect(summary).toContain('300 rows read in');
    expect(summary).toContain(
      '264 new, 0 changed, 0 unchanged, 36 left out as asked, 0 repeated, 0 rejected',
    );
    expect(summary).toContain('2 new categories');
    const animals = await workspace.animals();
    const count = (wanted: string) => animals.filter(({ status }) => status === wanted).length;
    expect([count('sold'), count('pending'), count('available')]).toEqual([117, 89, 58]);
    expect(workspace.categories()).toEqual(
      new Map([
        [1n, 'Cat'],
        [2n, 'Dog'],
      ]),
    );
  });

  test('names the unnamed, trims names and leaves accents unchanged', async () => {
    await importSample();
    const byId = new Map(
      (await workspace.animals()).map((animal) => [animal.externalId, animal.name]),
    );
    expect(byId.get('A716089')).toBe('Unnamed Cat A716089');
    const names = [...byId.values()];
    expect(names).toContain('Joanie');
    expect(names).toContain('PadmÃ©');
    expect(names.filter((name) => name.trim() !== name)).toEqual([]);
  });

  test('a second time changes nothing; with --repair-encoding only the names to repair', async () => {
    await importSample();
    const before = await workspace.animals();
    expect(await importSample()).toContain('\n0 new, 0 changed, 264 unchanged,');
    expect(await workspace.animals()).toEqual(before);
    expect(await importSample('--repair-encoding')).toContain('\n0 new, 6 changed, 258 unchanged,');
    const after = await workspace.animals();
    const repaired = after.map(({ name }) => name).filter((name, i) => name !== before[i]?.name);
    expect(repaired).toEqual(['Padmé', 'Amélie', 'Cariño', 'Amélie', 'Céline', 'Muñeca']);
    expect(await importSample('--repair-encoding')).toContain('\n0 new, 0 changed,');
  });

  test('--dry-run prints the same summary and writes nothing', async () => {
    const summary = await importSample('--dry-run');
    expect(summary).toContain('Nothing was written');
    expect(summary).toContain('264 new, 0 changed, 0 unchanged, 36 left out');
    expect(summary).toContain('2 new categories');
    expect(readdirSync(workspace.path('.'))).toEqual([]);
    await workspace.add({ externalId: 'A716089' });
    expect(await importSample('--dry-run')).toContain('263 new, 1 changed, 0 unchanged');
    expect(await workspace.animals()).toHaveLength(1);
  });

  test('--dry-run counts a category once across batches', async () => {
    const content = `name,kind\n${'Rex,Dog\nAy,dog\n'.repeat(1_100)}`;
    const summary = await workspace.importCsv(content, '--category', 'kind', '--dry-run');
    expect(summary).toContain('2,200 new, 0 changed');
    expect(summary).toContain('; 1 new category.');
  });
});

describe('petstore import without flags', () => {
  test('takes the columns of an export exactly, and assigns new ids', async () => {
    await workspace.importCsv(
      'id,name,categoryId,status\n' +
        '70,"  Rex, ""the"" dog ",9223372036854775807,sold\n' +
        '70,Ay,-9223372036854775808,pending\n',
    );
    expect(await workspace.animals()).toMatchObject([
      {
        id: 1n,
        name: '  Rex, "the" dog ',
        categoryId: 9223372036854775807n,
        status: 'sold',
        externalId: undefined,
      },
      {
        id: 2n,
        name: 'Ay',
        categoryId: -9223372036854775808n,
        status: 'pending',
        externalId: undefined,
      },
    ]);
  });

  test('takes an external id if there is one, and finds the animal by it again', async () => {
    const header = 'external_id,categoryId,name\n';
    await workspace.importCsv(`${header}x1,5,Rex\n,5,Ay\n`);
    const summary = await workspace.importCsv(`${header}x1,6,Rex\n`);
    expect(summary).toContain('0 new, 1 changed, 0 unchanged');
    expect((await workspace.animals()).map((pet) => [pet.externalId, pet.categoryId])).toEqual([
      ['x1', 6n],
      [undefined, 5n],
    ]);
  });

  test('an empty or absent status means available', async () => {
    await workspace.importCsv('name,categoryId,status\nA,1,\nB,1,sold\n');
    await workspace.importCsv('name,categoryId\nC,1\n');
    expect(await namesAndStatuses()).toEqual(['A: available', 'B: sold', 'C: available']);
  });

  test.each([
    ['a byte-order mark', '\ufeffname,categoryId\nRex,1\n'],
    ['CRLF', 'name,categoryId\r\nRex,1\r\n'],
    ['only CR', 'name,categoryId\rRex,1\r'],
    ['no end of the last line', 'name,categoryId\nRex,1'],
    ['blank lines', '\nname,categoryId\n\n\nRex,1\n\n'],
    ['blanks in the header', 'name , categoryId\nRex,1\n'],
    ['columns with one name that are not read', 'x,name,x,categoryId\n,Rex,,1\n'],
    ['quotes around everything', '"name","categoryId"\r\n"Rex","1"\r\n'],
  ])('takes %s', async (_what, content) => {
    expect(await workspace.importCsv(content)).toContain('1 new, 0 changed');
    expect((await workspace.animals())[0]).toMatchObject({ name: 'Rex', categoryId: 1n });
  });

  test('a file with only a header imports nothing and succeeds', async () => {
    expect(await workspace.importCsv('name,categoryId\n')).toContain('0 rows read');
    expect(await workspace.animals()).toEqual([]);
  });
});

describe('petstore import with flags', () => {
  test('trim the values of the columns that they name', async () => {
    await workspace.importCsv(
      'N,C,S,E\n" Rex ",Dog, Adopted,"\tx1 "\n\u3000Ay,  dog , sold,x2\n',
      ...['--name', 'N', '--category', 'C', '--external-id', 'E'],
      ...['--status', 'S', '--status-map', 'Adopted=sold, sold = pending'],
    );
    expect(await namesAndStatuses()).toEqual(['Rex: sold', 'Ay: pending']);
    expect((await workspace.animals()).map((pet) => pet.externalId)).toEqual(['x1', 'x2']);
    expect([...workspace.categories().values()]).toEqual(['Dog']);
  });

  test('--category-id takes ids with every digit', async () => {
    await workspace.importCsv(
      'N,C\nRex,9223372036854775807\nAy, -9223372036854775808\n',
      ...['--name', 'N', '--category-id', 'C'],
    );
    const ids = (await workspace.animals()).map(({ categoryId }) => categoryId);
    expect(ids).toEqual([2n ** 63n - 1n, -(2n ** 63n)]);
  });

  test('--category ignores the case of categories', async () => {
    const flags = ['--category', 'kind'];
    await workspace.importCsv('name,kind\nRex,Straße\n', ...flags);
    const summary = await workspace.importCsv('name,kind\nAy,STRASSE\nBo,Cat\n', ...flags);
    expect(summary).toContain('1 new category.');
    const ids = (await workspace.animals()).map(({ categoryId }) => categoryId);
    expect(ids).toEqual([1n, 1n, 2n]);
  });

  test('--status-map without * rejects values that it does not name', async () => {
    const summary = await workspace.importCsv(
      'name,categoryId,status\nA,1,in=out\nB,1,gone\nC,1,sold\nD,1,\n',
      ...['--status-map', 'in=out=pending,gone=skip'],
    );
    expect(summary).toContain(
      '1 new, 0 changed, 0 unchanged, 1 left out as asked, 0 repeated, 2 r',
    );
    expect(await namesAndStatuses()).toEqual(['A: pending']);
  });

  test('of rows with the same external id, the last one decides, a skipped one too', async () => {
    const summary = await workspace.importCsv(
      'name,categoryId,status,ref\nOld,1,,x\nRex,1,,y\nNew,1,,x\nBad,no,,x\nGone,1,gone,x\n',
      ...['--external-id', 'ref', '--status-map', 'gone=skip,*=sold'],
    );
    expect(summary).toContain(
      '1 new, 0 changed, 0 unchanged, 1 left out as asked, 2 repeated, 1 r',
    );
    expect(await namesAndStatuses()).toEqual(['Rex: sold']);
  });

  test('repeated rows far apart also count once', async () => {
    const rows = Array.from({ length: 2_500 }, (_, i) => `Pet ${i},1,${i % 2_400}\n`);
    const flags = ['--external-id', 'ref'];
    const content = `name,categoryId,ref\n${rows.join('')}`;
    expect(await workspace.importCsv(content, ...flags)).toContain(
      '2,400 new, 0 changed, 0 unchanged, 0 left out as asked, 100 repeated',
    );
    const names = new Map((await workspace.animals()).map((pet) => [pet.externalId, pet.name]));
    expect([names.get('7'), names.get('99'), names.get('100')]).toEqual([
      'Pet 2407',
      'Pet 2499',
      'Pet 100',
    ]);
    expect(await workspace.importCsv(content, ...flags)).toContain('0 new, 0 changed, 2,400 unch');
  });

  test('--unnamed fills in its columns only if a name is blank', async () => {
    await workspace.importCsv(
      'N,Kind,Note\n"  ",Dog, $& \nRex,Cat,x\n,Cat,y\n',
      ...['--name', 'N', '--category', 'Kind', '--unnamed', 'A {Kind} { Note } {Kind}'],
    );
    const names = (await workspace.animals()).map(({ name }) => name);
    expect(names).toEqual(['A Dog $& Dog', 'Rex', 'A Cat y Cat']);
  });
});

describe('petstore import of NDJSON', () => {
  const importNdjson = (content: string, ...flags: string[]) =>
    workspace.output('import', workspace.write('animals.ndjson', content), ...flags);

  test('takes members as columns, and integers with every digit', async () => {
    await importNdjson(
      '\ufeff{"id":5,"name":"  Rex \\"\\u00e9\\"","categoryId":9223372036854775807,"status":"sold"}\r\n' +
        '\n{"categoryId":-9223372036854775808,"name":"Ay","external_id":"x","tags":["a",{"b":1}]}\n' +
        '{"categoryId":3.0e0,"name":"Bo","status":null}',
    );
    const animals = await workspace.animals();
    expect(animals.map(({ name, categoryId, status }) => [name, categoryId, status])).toEqual([
      ['  Rex "é"', 2n ** 63n - 1n, 'sold'],
      ['Ay', -(2n ** 63n), 'available'],
      ['Bo', 3n, 'available'],
    ]);
    expect(animals.map(({ externalId }) => externalId)).toEqual([undefined, 'x', undefined]);
  });

  test('takes flags as CSV does', async () => {
    await importNdjson(
      '{"n":" Rex ","kind":"Dog","ref":7}\n{"kind":"Dog","ref":8,"__proto__":"x"}\n',
      ...['--name', 'n', '--category', 'kind', '--external-id', 'ref', '--unnamed', 'No {ref}'],
    );
    const animals = await workspace.animals();
    expect(animals.map(({ name, externalId }) => [name, externalId])).toEqual([
      ['Rex', '7'],
      ['No 8', '8'],
    ]);
  });
});
