import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createWorkspace } from '../cli/workspace.ts';
import { forAllTests, forEachTest } from '../support/lifetime.ts';
import { startReceiver } from '../webhooks/receivers.ts';

/** Files as other systems write them. The animals are invented. */
const FOLDER = new URL('files/', import.meta.url).pathname;

/** Their photos are at a server that has none of them. */
const PHOTOS = 'https://photos.example.org';
const photos = forAllTests(() =>
  startReceiver('127.0.0.2', (_, response) => response.writeHead(404).end()),
);

const workspace = forEachTest(() => createWorkspace({ PETSTORE_WEBHOOK_ALLOW: '127.0.0.2/32' }));

/** What an import says it did, and the animals by their external ids, with what tells most of them. */
async function importFile(file: string, ...flags: string[]) {
  // Rejected rows go beside the file.
  const path = workspace.path(file);
  if (!workspace.exists(file)) {
    const bytes = readFileSync(`${FOLDER}${file}`);
    const text = bytes.toString('latin1').replaceAll(PHOTOS, `http://127.0.0.2:${photos.port}`);
    writeFileSync(path, text, 'latin1');
  }
  const summary = await workspace.output('import', path, ...flags);
  const categories = workspace.categories();
  const animals = (await workspace.animals()).map((animal) => {
    const { externalId, name, categoryId, status, profile } = animal;
    const { species, sex, neutered, breed, mixed, birthDate, ageGroup, weightGrams } =
      profile ?? {};
    const known = { species, sex, neutered, breed, mixed, birthDate, ageGroup, weightGrams };
    const words = Object.values(known).filter((value) => value !== null && value !== undefined);
    return [externalId, name, categories.get(categoryId), status, ...words].join(' | ');
  });
  return { summary, animals };
}

describe('the files of other systems are imported without a flag:', () => {
  const EXPECTED: Readonly<Record<string, readonly string[]>> = {
    'petpoint.csv': [
      'A40110001 | Biscuit | Dog | available | dog | male | true | Retriever, Labrador | true | 2024-07-21 | 27896',
      'A40110002 | Juniper | Cat | available | cat | female | true | Domestic Shorthair | 2025-11-13 | 3742',
      'A40110004 | Pickle | Rabbit | available | rabbit | Lop-Eared | true | 2041',
      'A40110006 | Olive | Cat | available | cat | female | true | Siamese | true | 2017-09-22 | 4082',
    ],
    'shelterluv.csv': [
      'MAPL-A-101 | Waffles | Dog | available | dog | male | true | Hound | true | young | 23768',
      'MAPL-A-102 | Nori | Cat | pending | cat | female | true | Domestic Shorthair | baby | 2313',
      'MAPL-A-104 | Clover | Rabbit | pending | rabbit | female | false | Rex | young | 2722',
    ],
    'asm.csv': [
      'D2026101 | Bramble | Dog | available | dog | male | true | Collie | true | senior | 18400',
      'C2026055 | Thistle | Cat | available | cat | female | true | Domestic Short Hair | false | baby | 3200',
      'B2026003 | Figaro | Bird | available | bird | false | Cockatiel | false | adult | 100',
    ],
    'chameleon.csv': [
      'A1700001 | ROCKET | DOG | available | dog | PIT BULL | true | 2022-03-14 | 28123',
      'A1700003 | QUEENIE | DOG | available | dog | female | true | CHIHUAHUA SH | 2019-05-30 | 4082',
    ],
    'shelterbuddy.csv': [
      '412001 | Nugget | Dog | available | dog | male | true | Kelpie | true | 2023-05-26',
      '412002 | Mittens | Cat | pending | cat | female | true | Domestic Short Hair | 2025-01-02',
    ],
    'rescuegroups.csv': [
      '9001 | Pepper | Dog | available | dog | female | true | Shepherd | true | adult',
      '9002 | Sunny | Cat | pending | cat | male | true | Domestic Short Hair | false | young',
      '9004 | Bean | Rabbit | available | rabbit | female | false | Dwarf | true | baby',
    ],
    'rescuegroups.ndjson': [
      '7001 | Ziggy | Dog | available | dog | male | Whippet | adult',
      '7002 | Plum | Cat | available | cat | female | Persian | senior',
    ],
    'petstablished.csv': [
      '701001 | Maisie | Dog | available | dog | female | true | Spaniel | true | 2021-03-05 | 15422',
      '701002 | Gizmo | Cat | pending | cat | male | true | Maine Coon | 2024-07-19 | 6804',
    ],
    'petfinder-upload.csv': [
      '501 | Dottie | Dog | available | dog | female | true | Dalmatian | 2022-02-02',
      '502 | Smudge | Cat | available | cat | male | true | Domestic Short Hair | true | 2026-07-07',
      '503 | Otto | Dog | pending | dog | male | true | Dachshund | true | 2014-05-05',
    ],
    'petfinder-api.json': [
      '61001 | Cooper | Dog | available | dog | male | true | Boxer | true | young',
      '61002 | Marmalade | Cat | available | cat | female | true | Tabby | false | senior',
    ],
    'adoptapet.csv': [
      '801 | Scout | Dog | available | dog | male | true | Australian Shepherd | true | young',
      '802 | Luna Belle | Cat | available | cat | female | true | Siamese | false | adult',
      '803 | Hopscotch | House Rabbit | available | rabbit | male | false | Mini Rex | false | baby',
    ],
    'king-county.csv': [
      'A800001 | Hazel | Dog | available | dog | female | true | Labrador Retriever | true | adult',
      'A800004 | Smokey | Cat | available | cat | male | true | Domestic Longhair | adult',
    ],
    'sonoma.csv': [
      'A430101 | TERRA | DOG | available | dog | female | true | GERM SHEPHERD | true | 2022-06-20',
      'A430050 | RUSTY | DOG | available | dog | male | true | BEAGLE | 2020-01-09',
    ],
    'long-beach.csv': [
      'A700101 | MANGO | CAT | available | cat | male | true | 2024-06-01',
      'A700104 | HONEY | DOG | available | dog | female | true | 2018-05-22',
    ],
    // All of its animals have left.
    'austin.csv': [],
    'tierheim.csv': [
      'T-26-001 | Bärbel | Hund | available | dog | female | true | Schäferhund | true | 2024-01-01 | 28500',
      'T-26-002 | Müsli | Katze | available | cat | male | Europäisch Kurzhaar | 2023-05-01 | 4200',
      'T-26-003 | Großer | Hund | pending | dog | male | true | true | 2019-01-01 | 41000',
    ],
    'protectora.csv': [
      '101 | Lola | Perro | available | dog | female | true | true | young | 14500',
      '102 | Simón | Gato | available | cat | male | true | Común europeo | baby | 900',
      '104 | Trufa | Conejo | pending | rabbit | female | false | Enano | young | 1100',
    ],
    'boho-euc-kr.csv': [
      '경기-2026-00101 | 바둑이 | 개 | available | dog | male | true | 2020-01-01 | 8800',
      '경기-2026-00102 | 나비 | 고양이 | available | cat | female | 한국 고양이 | 2024-01-01 | 3500',
    ],
    'utulek-windows-1250.csv': [
      'P-2026-01 | Jiřík | pes | available | dog | male | true | 2021-05-12',
      'P-2026-02 | Žofka | kočka | available | cat | female | evropská krátkosrstá | 2024-08-01',
      'P-2026-03 | Čenda | pes | pending | dog | male | německý ovčák | 2019-02-20',
      'P-2026-04 | Růženka | kočka | available | cat | female | true | 2022-03-03',
    ],
    'adoption-list.xlsx': [
      'X-1 | Clementine | Dog | available | dog | female | Corgi | 2021-01-01 | 11200',
      'X-2 | Otis | Cat | pending | cat | male | true | Sphynx | 2023-03-15 | 4200',
      'X-3 | Nutmeg | Guinea Pig | available | small_mammal | female | Abyssinian | 2025-08-31 | 900',
    ],
  };
  /** Those that need an answer. */
  const ASKED = ['one-kind.csv'];

  test('all of them', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...Object.keys(EXPECTED), ...ASKED].sort());
  });

  test.each(Object.entries(EXPECTED))('%s', async (file, expected) => {
    const { summary, animals } = await importFile(file);
    expect(summary).toStartWith('The columns were taken for:\n');
    expect(animals).toEqual([...expected]);
    const named = readFileSync(`${FOLDER}${file}`, 'latin1').includes(PHOTOS);
    expect(/\nPhotos: 0 added, 0 there already, [1-9]/.test(summary)).toBe(
      named && expected.length > 0,
    );
    const again = await importFile(file);
    expect(again.summary).toContain(`\n0 new, 0 changed, ${expected.length} unchanged`);
  });
});

describe('a file that leaves something open', () => {
  test('asks for the category in one message, with its columns', async () => {
    const asked = await workspace.run('import', `${FOLDER}one-kind.csv`);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain(
      'No column of categories: --category with one of them, or --category-is Dog for animals of one kind. ' +
        'Its columns are "id", "name", "location"',
    );
    const { animals } = await importFile('one-kind.csv', '--category-is', 'Dog');
    expect(animals).toEqual(['1 | Patch | Dog | available', '2 | Daisy | Dog | available']);
  });

  test('shows a converted name for each encoding that it may have', async () => {
    // Headers without other letters tell nothing.
    const text = 'Id,Name,Species\n1,Ji\xf8\xedk,Dog\n2,\x8eofka,Cat\n3,Mar\xeda,Cat\n';
    const path = workspace.write('names.csv', Buffer.from(text, 'latin1'));
    const asked = await workspace.run('import', path);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toMatch(
      /its encoding is not sure: --encoding \S+ if ".+" is right, --encoding/,
    );
    await workspace.output('import', path, '--encoding', 'windows-1250');
    expect((await workspace.animals()).map(({ name }) => name)).toEqual([
      'Jiřík',
      'Žofka',
      'María',
    ]);
  });
});

describe('the rows of one external id are its stays:', () => {
  const rows = (...lines: string[]) => `Id,Name,Kind,Out\n${lines.join('\n')}\n`;

  test.each([
    ['by words that are known', []],
    ['by a map that leaves the last row out', ['--status-map', 'In care=available,Died=skip']],
  ])('the newest decides, %s', async (_how, flags) => {
    const map = flags.length > 0 ? ['--status', 'Out', ...flags] : [];
    await workspace.importCsv(rows('1,Rex,Dog,In care', '1,Rex,Dog,Died'), ...map, '--publish');
    expect(await workspace.animals()).toEqual([]);
    await workspace.importCsv(rows('1,Rex,Dog,In care'), ...map, '--publish');
    expect(await workspace.animals()).toMatchObject([
      { status: 'available', profile: { published: true } },
    ]);
    const summary = await workspace.importCsv(rows('1,Rex,Dog,In care', '1,Rex,Dog,Died'), ...map);
    expect(summary).toContain('\n1 animal that is here left: sold and unpublished now.\n');
    expect(await workspace.animals()).toMatchObject([
      { status: 'sold', profile: { published: false } },
    ]);
    expect(stays()).toMatchObject([{ outcome_type: 'died' }]);
  });

  test('a row whose status nobody knows is the newest too', async () => {
    await workspace.importCsv(rows('1,Rex,Dog,In care', '1,Rex,Dog,Zzz', '2,Mia,Cat,In care'));
    expect((await workspace.animals()).map(({ name }) => name)).toEqual(['Mia']);
  });

  test('with their dates, whatever the order in the file', async () => {
    await importFile('sonoma.csv', '--with-history', '--unnamed', '{Type}');
    const found = stays().map((stay) => Object.values(stay).join(' '));
    expect(found).toEqual([
      'TERRA 2026-11-02 stray  ',
      'CAT 2026-11-19 stray  ',
      'RUSTY 2026-09-01 stray 2026-09-12 to_owner',
      'RUSTY 2026-11-10 stray  ',
      'MISO 2026-11-01 owner 2026-11-24 died',
    ]);
  });

  function stays() {
    const database = new Database(workspace.address.replace('sqlite:', ''));
    const found = database
      .query<Record<string, string | null>, []>(
        `SELECT name, intake_date, intake_type, outcome_date, outcome_type
          FROM stays JOIN pets ON pets.id = pet_id ORDER BY pets.id, intake_date`,
      )
      .all();
    database.close();
    return found;
  }
});

describe('animals that are missing from a file', () => {
  const file = (count: number) =>
    `Id,Name,Species\n${Array.from({ length: count }, (_, n) => `${n},Pet ${n},Dog\n`).join('')}`;
  const states = async () =>
    (await workspace.animals())
      .slice(-2)
      .map(({ status, profile }) => [status, profile?.published === true]);

  test.each([
    ['keep', 'They stay as they are', ['available', true]],
    ['unpublish', 'They were unpublished', ['available', false]],
    ['leave', 'They were sold and unpublished', ['sold', false]],
  ])('%s', async (choice, said, state) => {
    await workspace.importCsv(file(10), '--publish');
    const summary = await workspace.importCsv(file(8), '--publish', '--missing', choice);
    expect(summary).toContain(
      `2 of 10 present animals of earlier imports are missing from this file (8, 9). ${said}`,
    );
    expect<unknown>(await states()).toEqual([state, state]);
    // They come back with their rows.
    await workspace.importCsv(file(10), '--publish');
    expect((await states()).map(([status]) => status)).toEqual(['available', 'available']);
  });

  test.each([
    ['too many', file(7)],
    ['all, because the file is empty', file(0)],
  ])('are left as they are when they are %s', async (_why, next) => {
    await workspace.importCsv(file(10), '--publish');
    const summary = await workspace.importCsv(next, '--missing', 'leave');
    expect(summary).toContain('too many for --missing-most, or the file is empty');
    expect(await states()).toEqual([
      ['available', true],
      ['available', true],
    ]);
  });

  test('include none that a rejected row names', async () => {
    await workspace.importCsv(file(10), '--publish');
    await workspace.importCsv(`${file(9)}9,,Dog\n`, '--missing', 'leave');
    expect(await states()).toEqual([
      ['available', true],
      ['available', true],
    ]);
  });
});
