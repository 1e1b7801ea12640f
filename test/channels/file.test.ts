import { beforeAll, describe, expect, test } from 'bun:test';
import { parse } from 'csv-parse/sync';
import { makeFile } from '../../src/channels/file.ts';
import { FORMATS } from '../../src/channels/formats.ts';
import { CHANNEL_KINDS, type ChannelKind, type ChannelPhotos } from '../../src/domain/channel.ts';
import { openSubject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';
import { forAllTests } from '../support/lifetime.ts';

/* The files, column by column: what is known, what is unknown, what is private, and who is left out. */

const ROOT = 'https://shop.example';
const AT = Date.UTC(2027, 0, 15);
const ids: Record<string, bigint> = {};

async function add(name: string, profile: object, status: 'available' | 'pending' = 'available') {
  const { pets, profiles } = subject.storage;
  const { id } = await pets.create({ name, categoryId: 1n, status }, CHANGE_STAMP);
  await profiles.update(id, { published: true, ...profile }, CHANGE_STAMP, () => {});
  ids[name] = id;
}

const subject = forAllTests(() => openSubject(chosenEngine()));
beforeAll(async () => {
  await add('Chloe "Coco"', {
    ...{ species: 'dog', breed: 'Beagle', secondBreed: 'Boxer, white', mixed: true, sex: 'female' },
    ...{ birthDate: '2025-06-01', birthDatePrecision: 'day', size: 'xlarge', coat: 'short' },
    ...{
      colours: ['Brown', 'White'],
      headline: 'A <good> dog',
      description: 'One.\r\n\nTwo & three.',
    },
    ...{ goodWithDogs: 'yes', goodWithCats: 'no', goodWithChildren: 'over_12', houseTrained: true },
    ...{ neutered: true, vaccinated: false, specialNeeds: true, specialNeedsNote: 'Pills\ndaily' },
    ...{ fee: { amount: 12_050, currency: 'USD' }, inCareSince: '2026-12-24' },
    videoUrl: 'https://www.youtube.com/watch?v=1',
    ...{ microchip: '982000123456789', location: 'Kennel 4', medicalNotes: 'SECRET' },
  });
  for (let n = 0; n < 8; n++) {
    const photo = { sha256: `${n}`.repeat(64), alt: '', width: 700, height: 500 };
    await subject.storage.photos.add(ids['Chloe "Coco"'] ?? 0n, photo, CHANGE_STAMP);
  }
  await add('Nobody knows', { species: 'dog' });
  await add('No breed', { species: 'cat', sex: 'male' });
  await add('Reserved', { species: 'cat', breed: 'Siamese', sex: 'female' }, 'pending');
  await add('Goat', {
    species: 'farm',
    breed: 'Goat',
    sex: 'male',
    size: 'small',
    coat: 'short',
    videoUrl: 'https://films.example/1',
  });
  await add('No sex', { species: 'rabbit', breed: 'Dutch', size: 'small', coat: 'short' });
  await add('Hidden', { species: 'dog', published: false });
});

async function fileOf(kind: ChannelKind, photosAs: ChannelPhotos = 'addresses') {
  const parts = { listings: subject.storage.listings, root: ROOT, pagesRoot: ROOT };
  const file = await makeFile({ kind, accountId: 'ON101', photosAs }, parts, AT);
  const rows: Record<string, string>[] = parse(file.text, { columns: true });
  const byName = (name: string) => rows.find((row) => Object.values(row).includes(name));
  return { file, rows, byName };
}

test.each(CHANNEL_KINDS)(
  '%s: one line for each animal, headers in order, nothing private',
  async (kind) => {
    const { file, rows } = await fileOf(kind);
    expect(file.text.split('\r\n')[0]).toBe(
      FORMATS[kind].columns.map(({ header }) => header).join(),
    );
    expect(file.text.split('\r\n')).toHaveLength(file.rows + 2);
    expect(rows).toHaveLength(file.rows);
    expect(file.text).not.toMatch(/SECRET|982000|Kennel|Hidden|\uFEFF|[^\r]\n/);
    expect(file.rows + file.leftOut.length).toBe(6);
    expect(FORMATS[kind].source).not.toBe('');
  },
);

test('what is unknown is an empty cell, never No', async () => {
  for (const kind of CHANNEL_KINDS) {
    const { byName } = await fileOf(kind);
    const row = byName('Nobody knows');
    // Some places need a breed for dogs.
    if (row === undefined) continue;
    const known = Object.entries(row).filter(([, cell]) => cell !== '');
    const names = known.map(([header]) => header.toLowerCase());
    const certain = [
      'id',
      'externalid',
      'internal',
      'name',
      'animalname',
      'status',
      'type',
      'species',
      'url',
      'incaresince',
    ];
    expect(names.filter((header) => !certain.includes(header))).toEqual([]);
  }
});

test.each([
  ['petfinder', 3, ''],
  ['adoptapet', 4, ''],
  ['rescuegroups', 4, 'ID-2.jpg'],
  ['csv', 6, 'ID-2.jpg'],
] as const)(
  '%s: photos that are uploaded are at most %d, and named where the place asks for it',
  async (kind, most, cell) => {
    const { file, byName } = await fileOf(kind, 'uploads');
    const id = `${ids['Chloe "Coco"']}`;
    const names = file.photos.map(({ name }) => name);
    expect(names).toEqual(Array.from({ length: most }, (_, n) => `${id}-${n + 1}.jpg`));
    expect(file.photos[1]?.file).toBe(`${'1'.repeat(64)}-700.jpg`);
    const row = byName('Chloe "Coco"') ?? {};
    expect(row['photo2'] ?? row['Photo2']).toBe(cell.replace('ID', id));
    expect(file.text).not.toContain('/photos/');
    expect((await fileOf(kind)).file.photos).toEqual([]);
  },
);

describe('each format', () => {
  test('petfinder', async () => {
    const { file, byName } = await fileOf('petfinder');
    const id = `${ids['Chloe "Coco"']}`;
    expect(file.name).toBe('ON101.csv');
    expect(byName('Chloe "Coco"')).toMatchObject({
      ...{ ID: id, Internal: id, PrimaryBreed: 'Beagle', SecondaryBreed: 'Boxer, white', Sex: 'F' },
      ...{
        Size: 'XL',
        Age: 'Young',
        Type: 'Dog',
        Status: 'A',
        Shots: '',
        Altered: '1',
        NoDogs: '0',
      },
      ...{ NoCats: '1', NoKids: '', Housetrained: '1', Declawed: '', specialNeeds: '1', Mix: '1' },
      Desc: 'A &lt;good&gt; dog&#10;One.&#10;Two &amp; three.',
      ...{ photo1: `${ROOT}/photos/${'0'.repeat(64)}-700.jpg`, arrival_date: '2026-12-24' },
      ...{ birth_date: '2025-06-01', primaryColor: 'Brown', secondaryColor: 'White' },
      ...{ coat_length: 'Short', adoption_fee: '120.50', display_adoption_fee: '1' },
      special_needs_notes: 'Pills&#10;daily',
    });
    expect(byName('Chloe "Coco"')?.['photo6']).toContain('5'.repeat(64));
    expect(byName('Reserved')?.['Status']).toBe('H');
    expect(byName('Goat')?.['Type']).toBe('Barnyard');
    expect(file.leftOut).toEqual([
      { petId: ids['No sex'] ?? 0n, reason: 'sex' },
      { petId: ids['No breed'] ?? 0n, reason: 'breed' },
      { petId: ids['Nobody knows'] ?? 0n, reason: 'breed' },
    ]);
  });

  test('adoptapet', async () => {
    const { file, byName } = await fileOf('adoptapet');
    expect(file.name).toBe('pets.csv');
    expect(byName('Chloe "Coco"')).toMatchObject({
      ...{ Animal: 'Dog', Breed: 'Beagle', Breed2: 'Boxer, white', Purebred: '0', Age: 'Young' },
      ...{
        Size: 'XL',
        Sex: 'F',
        Color: 'Brown',
        Status: 'Available',
        GoodWKids: '',
        GoodWCats: '0',
      },
      ...{
        GoodWDogs: '1',
        SpayedNeutered: '1',
        ShotsCurrent: '0',
        Housetrained: '1',
        Declawed: '',
      },
      ...{ SpecialNeeds: '1', HairLength: '' },
      Description: 'A &lt;good&gt; dog<br />One.<br />Two &amp; three.',
    });
    expect(file.leftOut.map(({ reason }) => reason)).toEqual(['reserved', 'breed', 'breed']);
    // A size is for dogs and cats alone, and the length of hair for cats and small animals.
    expect(byName('Goat')).toMatchObject({ Size: '', HairLength: '', YouTubeVideoURL: '' });
    expect(byName('Chloe "Coco"')?.['YouTubeVideoURL']).toContain('watch?v=1');
    expect(byName('No sex')).toMatchObject({ Size: '', HairLength: 'Short' });
  });

  test('rescuegroups', async () => {
    const { file, byName } = await fileOf('rescuegroups');
    expect(file.name).toBe('pets.csv');
    expect(byName('Chloe "Coco"')).toMatchObject({
      ...{
        externalID: `${ids['Chloe "Coco"']}`,
        status: 'Available',
        type: 'Dog',
        priBreed: 'Beagle',
      },
      ...{ mix: 'Yes', sex: 'Female', age: 'Young', okwithdogs: 'Yes', okwithcats: 'No' },
      ...{ okwithkids: '', housebroken: 'Yes', altered: 'Yes', size: 'X-Large', uptodate: 'No' },
      ...{
        color: 'Brown',
        coatLength: 'Short',
        dsc: 'A &lt;good&gt; dog<br>One.<br>Two &amp; three.',
      },
    });
    expect(byName('Nobody knows')?.['priBreed']).toBe('');
    expect(file.leftOut.map(({ reason }) => reason)).toEqual(['species', 'reserved', 'breed']);
  });

  test('csv', async () => {
    const { file, byName } = await fileOf('csv');
    expect([file.name, file.leftOut]).toEqual(['animals.csv', []]);
    expect(byName('Chloe "Coco"')).toMatchObject({
      ...{ description: 'A <good> dog One. Two & three.', fee: '120.50', feeCurrency: 'USD' },
      ...{ mixed: 'true', vaccinated: 'false', status: 'available' },
      url: expect.stringContaining(`${ROOT}/adopt/`),
    });
  });
});
