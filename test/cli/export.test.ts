import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/domain/int64.ts';
import { nameProblem, PET_NAME_MAX } from '../../src/domain/name.ts';
import { type ExportedPet, type ImportedPet, PET_STATUSES } from '../../src/domain/pet.ts';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { ADDED_AT, createWorkspace, expectFailure, type Workspace } from './workspace.ts';

const REX = {
  name: 'Rex',
  category: { id: 1n },
  status: 'available',
  externalId: undefined,
} as const;

const TODAY = new Date(ADDED_AT).toISOString().slice(0, 10);

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

describe('petstore export', () => {
  test('writes every animal with its exact values', async () => {
    await workspace.add(
      { name: 'Rex', categoryId: INT64_MAX, status: 'sold' },
      { name: ' "Al, B" ', categoryId: INT64_MIN, status: 'pending' },
    );
    expect(await workspace.output('export')).toBe(
      'id,name,categoryId,status,inCareSince,published\n' +
        `1,Rex,9223372036854775807,sold,${TODAY},false\n` +
        `2," ""Al, B"" ",-9223372036854775808,pending,${TODAY},false\n`,
    );
    expect(await workspace.output('export', '--format', 'ndjson')).toBe(
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold","inCareSince":"2026-01-15","published":false}\n' +
        '{"id":2,"name":" \\"Al, B\\" ","categoryId":-9223372036854775808,"status":"pending","inCareSince":"2026-01-15","published":false}\n',
    );
  });

  test('writes external ids if there are any', async () => {
    await workspace.add({ externalId: 'a,b' }, {});
    expect(await workspace.output('export')).toBe(
      'id,name,categoryId,status,external_id,inCareSince,published\n' +
        `1,Rex,1,available,"a,b",${TODAY},false\n2,Rex,1,available,,${TODAY},false\n`,
    );
    expect(await workspace.output('export', '--format', 'ndjson')).toBe(
      '{"id":1,"name":"Rex","categoryId":1,"status":"available","external_id":"a,b","inCareSince":"2026-01-15","published":false}\n' +
        '{"id":2,"name":"Rex","categoryId":1,"status":"available","inCareSince":"2026-01-15","published":false}\n',
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
      'id,name,categoryId,status,breed,colours,fee,inCareSince,microchip,published\n' +
        `1,Rex,1,available,Boxer,,7.50 USD,${TODAY},,false\n` +
        `2,Rex,1,available,,Black/White,,${TODAY},123456789,false\n` +
        `3,Rex,1,available,,,,${TODAY},,false\n`,
    );
    expect(await workspace.output('export', '--format', 'ndjson')).toBe(
      '{"id":1,"name":"Rex","categoryId":1,"status":"available","breed":"Boxer",' +
        '"fee":{"amount":750,"currency":"USD"},"inCareSince":"2026-01-15","published":false}\n' +
        '{"id":2,"name":"Rex","categoryId":1,"status":"available","colours":["Black","White"],' +
        '"inCareSince":"2026-01-15","published":false,"microchip":"123456789"}\n' +
        '{"id":3,"name":"Rex","categoryId":1,"status":"available","inCareSince":"2026-01-15","published":false}\n',
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
      (_, i) => `${3 * i + 2},Rex,1,pending,${TODAY},false`,
    );
    expect(lines.slice(1)).toEqual(expected);
  });

  test('of an empty database is a header or nothing, and can be imported', async () => {
    await workspace.output('migrate');
    const header = await workspace.output('export');
    expect(header).toBe('id,name,categoryId,status\n');
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

describe('export and import', () => {
  const text = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('"', ',', ' ', 'a', 'é', '\ufeff', '\u2028', '{', '\\') }),
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
