import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/domain/int64.ts';
import { nameProblem, PET_NAME_MAX } from '../../src/domain/name.ts';
import { type ExportedPet, type ImportedPet, PET_STATUSES } from '../../src/domain/pet.ts';
import { INTAKE_TYPES, OUTCOME_TYPES } from '../../src/domain/stay-types.ts';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { forEachTest } from '../support/lifetime.ts';
import { ADDED_AT, createWorkspace, expectFailure, type Workspace } from './workspace.ts';

const REX = {
  name: 'Rex',
  category: { id: 1n },
  status: 'available',
  externalId: undefined,
} as const;

const TODAY = new Date(ADDED_AT).toISOString().slice(0, 10);
/** Stays in cells of CSV, and in a line of NDJSON. */
const stay = (outcome: string) =>
  `[{"intakeDate":"${TODAY}","intakeType":null,${outcome},"note":null}]`;
const OPEN_STAY = stay('"outcomeDate":null,"outcomeType":null');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const OPEN = quoted(OPEN_STAY);
const SOLD = quoted(stay(`"outcomeDate":"${TODAY}","outcomeType":"adopted"`));
const STAYS = `"stays":${OPEN_STAY}`;

const workspace = forEachTest(() => createWorkspace());

describe('petstore export', () => {
  test('writes every animal with its exact values', async () => {
    await workspace.add(
      { name: 'Rex', categoryId: INT64_MAX, status: 'sold' },
      { name: ' "Al, B" ', categoryId: INT64_MIN, status: 'pending' },
    );
    expect(await workspace.output('export')).toBe(
      'id,name,categoryId,category,status,stays,inCareSince,published\n' +
        `1,Rex,9223372036854775807,,sold,${SOLD},${TODAY},false\n` +
        `2," ""Al, B"" ",-9223372036854775808,,pending,${OPEN},${TODAY},false\n`,
    );
    expect(await workspace.output('export', '--format', 'ndjson')).toBe(
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"category":"","status":"sold","stays":[{"intakeDate":"2026-01-15","intakeType":null,"outcomeDate":"2026-01-15","outcomeType":"adopted","note":null}],"inCareSince":"2026-01-15","published":false}\n' +
        '{"id":2,"name":" \\"Al, B\\" ","categoryId":-9223372036854775808,"category":"","status":"pending",' +
        `${STAYS},` +
        '"inCareSince":"2026-01-15","published":false}\n',
    );
  });

  test('writes external ids if there are any', async () => {
    await workspace.add({ externalId: 'a,b' }, {});
    expect(await workspace.output('export')).toBe(
      'id,name,categoryId,category,status,stays,external_id,inCareSince,published\n' +
        `1,Rex,1,,available,${OPEN},"a,b",${TODAY},false\n` +
        `2,Rex,1,,available,${OPEN},,${TODAY},false\n`,
    );
    expect(await workspace.output('export', '--format', 'ndjson')).toBe(
      `{"id":1,"name":"Rex","categoryId":1,"category":"","status":"available",${STAYS},"external_id":"a,b","inCareSince":"2026-01-15","published":false}\n` +
        `{"id":2,"name":"Rex","categoryId":1,"category":"","status":"available",${STAYS},"inCareSince":"2026-01-15","published":false}\n`,
    );
  });

  test('writes the fields of profiles that any animal has, and which are published', async () => {
    const storage = await openStorage(workspace.address, 'production');
    const rows: ImportedPet[] = [
      { ...REX, profile: { breed: 'Boxer', fee: { amount: 750, currency: 'USD' } } },
      { ...REX, profile: { microchip: '123456789', colours: ['Black', 'White'] } },
      REX,
    ];
    await storage.pets.importBatch(rows, { ...CHANGE_STAMP, at: ADDED_AT });
    await storage.close();
    const csv = await workspace.output('export');
    expect(csv).toBe(
      'id,name,categoryId,category,status,stays,breed,colours,fee,inCareSince,microchip,published\n' +
        `1,Rex,1,,available,${OPEN},Boxer,,7.50 USD,${TODAY},,false\n` +
        `2,Rex,1,,available,${OPEN},,Black/White,,${TODAY},123456789,false\n` +
        `3,Rex,1,,available,${OPEN},,,,${TODAY},,false\n`,
    );
    expect(await workspace.output('export', '--format', 'ndjson')).toBe(
      `{"id":1,"name":"Rex","categoryId":1,"category":"","status":"available",${STAYS},"breed":"Boxer",` +
        '"fee":{"amount":750,"currency":"USD"},"inCareSince":"2026-01-15","published":false}\n' +
        `{"id":2,"name":"Rex","categoryId":1,"category":"","status":"available",${STAYS},"colours":["Black","White"],` +
        '"inCareSince":"2026-01-15","published":false,"microchip":"123456789"}\n' +
        `{"id":3,"name":"Rex","categoryId":1,"category":"","status":"available",${STAYS},"inCareSince":"2026-01-15","published":false}\n`,
    );
    // The file says that none is published, so none will be.
    await workspace.importCsv(csv, '--publish');
    const animals = await workspace.animals();
    expect(animals.map(({ profile }) => profile?.published ?? false)).toEqual(Array(6).fill(false));
  });

  test('--status writes only animals with this status', async () => {
    const animals = Array.from({ length: 250 }, (_, i) => ({ status: PET_STATUSES[i % 3] }));
    await workspace.add(...animals.map(({ status = 'sold' }) => ({ status })));
    const lines = (await workspace.output('export', '--status', 'pending')).trim().split('\n');
    const expected = Array.from(
      { length: 83 },
      (_, i) => `${3 * i + 2},Rex,1,,pending,${OPEN},${TODAY},false`,
    );
    expect(lines.slice(1)).toEqual(expected);
  });

  test('of an empty database is a header or nothing, and can be imported', async () => {
    await workspace.output('migrate');
    const header = await workspace.output('export');
    expect(header).toBe('id,name,categoryId,category,status,stays\n');
    expect(await workspace.output('export', '--format', 'ndjson')).toBe('');
    expect(await workspace.importCsv(header)).toContain('0 new');
  });

  test.each<[RegExp, ...string[]]>([
    [/csv, ndjson/, '--format', 'json'],
    [/available, pending, sold/, '--status', 'gone'],
    [/too many arguments/, 'file.csv'],
  ])('exits with 2, and %p, for wrong usage', async (message, ...args) => {
    expectFailure(await workspace.run('export', ...args), 2, message);
  });
});

describe('export --for-excel', () => {
  const NAMES = [
    '=1+1',
    "'=1+1",
    "''-2",
    '-5',
    '@home',
    "'t Hoen",
    '007',
    '981000000000001',
    '+49 1',
  ];

  test('has no cell that a spreadsheet runs or rounds, and an import takes all of it back', async () => {
    await workspace.add(...NAMES.map((name, n) => ({ name, externalId: `0${n}` })));
    const csv = await workspace.output('export', '--for-excel', '--separator', 'semicolon');
    expect(csv).toStartWith('\uFEFFid;name;');
    const cells = csv
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(';')[1]);
    expect(cells).toEqual([
      ...["'=1+1", "''=1+1", "'''-2", '-5', "'@home", "'t Hoen", "'007", "'981000000000001"],
      "'+49 1",
    ]);
    using other = createWorkspace();
    await other.importCsv(csv);
    const [there, here] = [await other.animals(), await workspace.animals()];
    expect(there.map(({ name, externalId }) => [name, externalId])).toEqual(
      here.map(({ name, externalId }) => [name, externalId]),
    );
  });
});

describe('export and import', () => {
  const text = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('"', ',', ' ', 'a', 'é', '\ufeff', '\u2028', '{', '\\') }),
      fc.string({ unit: fc.constantFrom("'", '=', '-', '+', '@', '1', 'a') }),
    )
    .filter((name) => nameProblem(name, PET_NAME_MAX) === undefined);
  const animal = fc.record({
    name: text,
    categoryId: fc.oneof(
      fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
      fc.constantFrom(INT64_MIN, INT64_MAX, 0n, -1n, 2n ** 53n + 1n),
    ),
    status: fc.constantFrom(...PET_STATUSES),
    externalId: fc.option(text, { nil: undefined }),
  });
  const animals = fc.uniqueArray(animal, {
    minLength: 1,
    maxLength: 250,
    size: 'max',
    selector: ({ externalId }) => externalId ?? Symbol(),
  });

  test.each(['csv', 'ndjson'])(
    'preserve every value exactly, as %s',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(animals, async (written) => {
          using from = createWorkspace();
          using to = createWorkspace();
          await from.add(...written);
          const exported = await from.output('export', '--format', format);
          const file = to.write(`animals.${format}`, exported);
          const summary = await to.output('import', file);
          expect(summary).toContain(`${written.length} new, 0 changed, 0 unchanged`);
          expect(await to.animals()).toEqual(await from.animals());
          const plain = ({ id: _id, profile: _profile, ...rest }: ExportedPet) => rest;
          expect((await to.animals()).map(plain)).toEqual(written);
          expect(await to.output('export', '--format', format)).toBe(exported);
        }),
        { numRuns: 8, endOnFailure: true },
      );
    },
    60_000,
  );
});

describe('a round trip keeps categories and stays', () => {
  const DAYS = Array.from({ length: 12 }, (_, n) =>
    new Date(Date.UTC(2025, n, 3 + n)).toISOString().slice(0, 10),
  );
  const intakeType = fc.constantFrom(...INTAKE_TYPES, null);
  const note = fc.option(fc.constantFrom('=1', 'Found, "wet"', "'-", 'Two\nlines'), { nil: null });
  const ended = fc.record({ outcomeType: fc.constantFrom(...OUTCOME_TYPES), intakeType, note });
  /** The stays of an animal in their order; the last one may be open. */
  const stays = fc
    .tuple(fc.array(ended, { maxLength: 4 }), fc.option(fc.record({ intakeType, note })))
    .filter(([before, open]) => before.length > 0 || open !== null)
    .map(([before, open]) => [
      ...before.map((stay, n) => ({
        ...stay,
        ...{ intakeDate: DAYS[2 * n] ?? '', outcomeDate: DAYS[2 * n + 1] ?? '' },
      })),
      ...(open === null
        ? []
        : [{ ...open, intakeDate: DAYS[10] ?? '', outcomeDate: null, outcomeType: null }]),
    ]);
  const animal = fc.record({
    name: fc.constantFrom('Rex', "'=Mia", '1-2'),
    category: fc.record({ name: fc.constantFrom('Dog', 'Cat, tame', '=Bird', "'1") }),
    externalId: fc.uuid(),
    stays,
  });

  async function kept(workspace: Workspace) {
    const storage = await openStorage(workspace.address, 'production');
    const names = workspace.categories();
    const found = [];
    for (const { id, name, categoryId, status, externalId } of await workspace.animals()) {
      const own = (await storage.stays.list(id)) ?? [];
      const plain = own.map(({ id: _id, petId: _petId, ...rest }) => rest);
      found.push({ name, category: names.get(categoryId), status, externalId, stays: plain });
    }
    await storage.close();
    return found;
  }

  test.each([
    ['csv', []],
    ['csv', ['--for-excel', '--separator', 'tab']],
    ['ndjson', []],
  ])(
    'as %s, %p',
    async (format, flags) => {
      await fc.assert(
        fc.asyncProperty(fc.array(animal, { minLength: 1, maxLength: 20 }), async (written) => {
          using from = createWorkspace();
          using to = createWorkspace();
          const storage = await openStorage(from.address, 'production');
          const rows = written.map((row) => ({
            ...row,
            status: row.stays.at(-1)?.outcomeDate === null ? 'available' : 'sold',
          }));
          await storage.pets.importBatch(rows as ImportedPet[], { ...CHANGE_STAMP, at: ADDED_AT });
          await storage.close();
          const text = await from.output('export', '--format', format, ...flags);
          const summary = await to.output('import', to.write(`file.${format}`, text));
          expect(summary).toContain(`${written.length} new`);
          const before = await kept(from);
          expect(before.map(({ stays: own }) => own.length)).toEqual(
            written.map((row) => row.stays.length),
          );
          expect(await kept(to)).toEqual(before);
        }),
        { numRuns: 6, endOnFailure: true },
      );
    },
    60_000,
  );

  test('a status that was changed in the file wins over its stays; broken ones reject their row', async () => {
    const broken = { name: 'Ben', externalId: 'c' };
    await workspace.add({ name: 'Rex', externalId: 'a' }, { name: 'Mia', externalId: 'b' }, broken);
    const csv = await workspace.output('export');
    using to = createWorkspace();
    const noDay = csv.replace(/(3,Ben.*intakeDate""\D*)[\d-]{10}/, '$12023-02-30');
    const changed = noDay.replace('available', 'sold').replace(/(2,Mia.*)intakeDate/, '$1day');
    const summary = await to.importCsv(changed);
    expect(summary).toContain('1 new');
    expect(summary).toContain('2 rejected');
    expect(await to.animals()).toMatchObject([{ name: 'Rex', status: 'sold' }]);
  });
});
