import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const SAMPLE = join(import.meta.dir, '../../examples/austin-animals.csv');

const workspace = forEachTest(() => createWorkspace());

/** What is known of each animal, in the order of their ids. */
async function profiles(): Promise<Record<string, unknown>[]> {
  return (await workspace.animals()).map(({ profile = {} }) =>
    Object.fromEntries(
      // Every animal is in care since it came: on the day of the import, unless the file says more.
      Object.entries(profile).filter(
        ([name, value]) => value !== null && value !== false && name !== 'inCareSince',
      ),
    ),
  );
}

describe('petstore import of profiles', () => {
  test('recognises the headers of shelters', async () => {
    await workspace.importCsv(
      'Animal ID,Name,Animal Type,Sex upon Outcome,Breed,Color,Date of Birth,DateTime\n' +
        'A1,Rex,Dog,Neutered Male,Labrador Retriever Mix,Black/White,05/31/2014,07/01/2016 10:00\n' +
        'A2,Mia,Cat,Intact Female,Siamese,Seal Point,01/02/2015,07/01/2016 10:00\n',
      ...['--name', 'Name', '--category', 'Animal Type', '--external-id', 'Animal ID'],
    );
    expect(await profiles()).toEqual([
      {
        species: 'dog',
        breed: 'Labrador Retriever',
        mixed: true,
        sex: 'male',
        neutered: true,
        colours: ['Black', 'White'],
        birthDate: '2014-05-31',
        birthDatePrecision: 'day',
      },
      {
        species: 'cat',
        breed: 'Siamese',
        sex: 'female',
        colours: ['Seal Point'],
        birthDate: '2015-01-02',
        birthDatePrecision: 'day',
      },
    ]);
  });

  test('fills the profiles of the sample', async () => {
    const summary = await workspace.output(
      ...['import', SAMPLE, '--name', 'Name', '--category', 'AnimalType'],
      ...['--unnamed', '{AnimalID}', '--status', 'OutcomeType', '--status-map', '*=available'],
    );
    expect(summary).toContain('300 new');
    expect(summary).not.toContain('Not understood');
    const known = await profiles();
    const count = (field: string) => known.filter((profile) => field in profile).length;
    const fields = ['species', 'breed', 'mixed', 'colours', 'sex', 'birthDate'];
    expect(fields.map(count)).toEqual([300, 300, 282, 300, 289, 300]);
    expect(known[0]).toEqual({
      species: 'cat',
      breed: 'Domestic Shorthair',
      mixed: true,
      birthDate: '2015-04-09',
      birthDatePrecision: 'month',
      colours: ['Brown Tabby'],
    });
  });

  test('takes the columns that flags name, and counts what it does not understand', async () => {
    const file =
      'name,categoryId,Art,Farbe,Born,Chip,Old,Good\n' +
      'Rex,1,Dog,Brown/White,31.5.2020,985 112 000 123 456,2 years,yes\n' +
      'Mia,1,Gato,Black,N/A,17,old,perhaps\n' +
      'Tom,1,Oiseau,,1.2.2021,,,\n';
    const summary = await workspace.importCsv(
      file,
      ...['--species', 'Art', '--colour', 'Farbe', '--birth-date', 'Born', '--microchip', 'Chip'],
      ...['--age', 'Old', '--good-with-dogs', 'Good'],
    );
    expect(summary).toContain('3 new');
    expect(summary.slice(summary.indexOf('Not'))).toBe(
      'Not understood, so nothing was changed there:\n' +
        '  --good-with-dogs: 1 value, such as "perhaps"\n' +
        '  --microchip: 1 value, such as "17"\n',
    );
    expect(await profiles()).toEqual([
      {
        species: 'dog',
        colours: ['Brown', 'White'],
        birthDate: '2020-05-31',
        birthDatePrecision: 'day',
        microchip: '985112000123456',
        goodWithDogs: 'yes',
      },
      { species: 'cat', colours: ['Black'], ageGroup: 'senior' },
      { species: 'bird', birthDate: '2021-02-01', birthDatePrecision: 'day' },
    ]);
  });

  test('says nothing of the fields without a value', async () => {
    const flags = ['--external-id', 'id'];
    await workspace.importCsv('id,name,categoryId,breed,size\n1,Rex,1,Boxer,large\n', ...flags);
    const next = 'id,name,categoryId,breed,size,energy\n1,Rex,1,unknown,,high\n';
    expect(await workspace.importCsv(next, ...flags)).toContain(
      '0 new, 1 changed, 0 unchanged, 0 left out as asked, 0 repeated, 0 rejected; ' +
        '0 new categories.\nChanged:\n  1 "Rex": profile energy\n',
    );
    expect(await profiles()).toEqual([{ breed: 'Boxer', size: 'large', energy: 'high' }]);
  });

  test('publishes only with --publish, and then what the file says', async () => {
    const file = 'name,categoryId,species,published\nRex,1,dog,true\nMia,1,cat,false\n';
    await workspace.importCsv(file);
    await workspace.importCsv(file, '--publish');
    await workspace.importCsv('name,categoryId,species\nRex,1,dog\n', '--publish');
    const published = (await profiles()).map((profile) => profile['published'] ?? false);
    expect(published).toEqual([false, false, true, false, true]);
  });

  test('reads only the columns that are named, if asked', async () => {
    const file = 'name,categoryId,Breed,Color,Sex\nRex,1,Boxer,Brown,Male\n';
    await workspace.importCsv(file, '--only-named', '--breed', 'Breed');
    expect(await profiles()).toEqual([{ breed: 'Boxer' }]);
  });

  test('refuses a file without a column that a flag names', async () => {
    const path = workspace.write('animals.csv', 'name,categoryId\nRex,1\n');
    const finished = await workspace.run('import', path, '--colour', 'Farbe');
    expectFailure(finished, 1, /has no column "Farbe", which --colour names/);
  });

  test('reads the values of NDJSON of any type', async () => {
    const path = workspace.write(
      'animals.ndjson',
      '{"name":"Rex","categoryId":1,"neutered":true,"mixed":false,"weightGrams":9000,' +
        '"colours":["Black, mostly"],"fee":{"amount":7500,"currency":"USD"},"size":null,"sex":{}}\n',
    );
    expect(await workspace.output('import', path)).toContain('--sex: 1 value, such as "{}"');
    expect(await profiles()).toEqual([
      {
        neutered: true,
        weightGrams: 9_000,
        colours: ['Black, mostly'],
        fee: { amount: 7_500, currency: 'USD' },
      },
    ]);
    expect((await workspace.animals())[0]?.profile?.mixed).toBe(false);
  });
});
