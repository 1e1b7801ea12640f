import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { foldName } from '../../../src/domain/name.ts';
import { PET_STATUSES } from '../../../src/domain/pet.ts';
import { CHANGE_STAMP, NEW_PROFILE } from '../../support/change-stamp.ts';
import { animal, imported, listAll, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

const INT64S = [
  0n,
  1n,
  -1n,
  2n ** 31n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  2n ** 63n - 2n,
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
];

const NAMES = [
  'Rex',
  ' Rex ',
  '\u00e9',
  'e\u0301',
  '😺',
  'ẞ',
  "'; DROP TABLE pets; --",
  '%_\\',
  '"',
  '\u2028',
  '\uffff',
  'x'.repeat(255),
  '😺'.repeat(255),
  'null',
  '007',
];

describeContract((engine) => {
  describe('single animals', () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await openSubject(engine);
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    test.each(INT64S)('the category %p is stored to the last digit', async (categoryId) => {
      const created = await subject.storage.pets.create(animal({ categoryId }), CHANGE_STAMP);
      expect(created).toEqual({ id: created.id, ...animal({ categoryId }) });
      expect(await subject.storage.pets.find(created.id)).toEqual(created);
    });

    test.each(NAMES)('the name %p is stored unchanged', async (name) => {
      const created = await subject.storage.pets.create(animal({ name }), CHANGE_STAMP);
      expect(created.name).toBe(name);
      expect((await subject.storage.pets.find(created.id))?.name).toBe(name);
    });

    test.each([...PET_STATUSES])('the status %p is stored', async (status) => {
      const { id } = await subject.storage.pets.create(animal({ status }), CHANGE_STAMP);
      expect((await subject.storage.pets.find(id))?.status).toBe(status);
    });

    test('an unknown id finds nothing', async () => {
      for (const id of INT64S.filter((value) => value < 1n || value > 1000n)) {
        expect(await subject.storage.pets.find(id)).toBeUndefined();
      }
    });

    test('count includes a new animal', async () => {
      const before = await subject.storage.pets.count();
      await subject.storage.pets.create(animal(), CHANGE_STAMP);
      expect(await subject.storage.pets.count()).toBe(before + 1);
    });
  });

  describe('ids', () => {
    test('start at 1, only increase, and are not reused after a removal or a restart', async () => {
      await using subject = await openSubject(engine);
      const add = async () => (await subject.storage.pets.create(animal(), CHANGE_STAMP)).id;
      expect([await add(), await add(), await add()]).toEqual([1n, 2n, 3n]);
      await subject.database.sql('DELETE FROM pets WHERE id = 3');
      expect(await add()).toBe(4n);
      await subject.database.sql('DELETE FROM pets');
      await subject.reopen();
      expect(await add()).toBe(5n);
      await subject.storage.pets.importBatch([imported()], CHANGE_STAMP);
      expect((await listAll(subject.storage)).map(({ id }) => id)).toEqual([5n, 6n]);
    });
  });

  describe('lists', () => {
    let subject: Subject;
    const animals = [
      animal({ name: 'Straße', categoryId: 1n, status: 'available' }),
      animal({ name: 'ΣΊΣΥΦΟΣ', categoryId: 2n, status: 'pending' }),
      animal({ name: '100%_off', categoryId: 1n, status: 'sold' }),
      animal({ name: 'rex', categoryId: -(2n ** 63n), status: 'available' }),
      animal({ name: 'Rexona', categoryId: 2n ** 63n - 1n, status: 'available' }),
      animal({ name: `O'Malley \\ "x"`, categoryId: 1n, status: 'available' }),
    ];
    beforeAll(async () => {
      subject = await openSubject(engine);
      for (const pet of animals) await subject.storage.pets.create(pet, CHANGE_STAMP);
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    const ids = async (filter: Parameters<typeof listAll>[1]) =>
      (await listAll(subject.storage, filter)).map(({ id }) => Number(id));

    test('contain complete animals, ascending by id', async () => {
      const expected = animals.map((pet, i) => ({ id: BigInt(i + 1), ...pet }));
      expect(await listAll(subject.storage)).toEqual(expected);
    });

    test('filter by status', async () => {
      expect(await ids({ status: 'available' })).toEqual([1, 4, 5, 6]);
      expect(await ids({ status: 'pending' })).toEqual([2]);
      expect(await ids({ status: 'sold' })).toEqual([3]);
    });

    test('filter by category, to the last digit', async () => {
      expect(await ids({ categoryId: 1n })).toEqual([1, 3, 6]);
      expect(await ids({ categoryId: -(2n ** 63n) })).toEqual([4]);
      expect(await ids({ categoryId: 2n ** 63n - 1n })).toEqual([5]);
      expect(await ids({ categoryId: 2n ** 63n - 2n })).toEqual([]);
    });

    test('filter by ids: ascending, each once, unknown ones ignored', async () => {
      expect(await ids({ ids: [5n, 1n, 5n, 99n, 0n, -(2n ** 63n), 2n ** 63n - 1n] })).toEqual([
        1, 5,
      ]);
      expect(await ids({ ids: [] })).toEqual([]);
      const hundred = Array.from({ length: 100 }, (_, i) => BigInt(i) - 50n);
      expect(await ids({ ids: hundred })).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test.each<[string, number[]]>([
      ['REX', [4, 5]],
      ['rEXo', [5]],
      ['strasse', [1]],
      ['STRAẞE', [1]],
      ['ß', [1]],
      ['ss', [1]],
      ['σίσυφος', [2]],
      ['ΣΙ', [2]],
      ['ΣΣ', []],
      ['%', [3]],
      ['_', [3]],
      ['0%_o', [3]],
      ['%o', []],
      ["'", [6]],
      ['\\', [6]],
      ['"', [6]],
      [' ', [6]],
      ['*', []],
      ['?', []],
      ['[a-z]', []],
    ])('filter by the name part %p', async (part, expected) => {
      expect(await ids({ nameFolded: foldName(part) })).toEqual(expected);
    });

    test('combine all filters', async () => {
      expect(await ids({ status: 'available', categoryId: 1n })).toEqual([1, 6]);
      expect(await ids({ status: 'sold', categoryId: 2n })).toEqual([]);
      expect(await ids({ ids: [1n, 3n, 4n], status: 'available' })).toEqual([1, 4]);
      expect(
        await ids({ ids: [1n, 4n], status: 'available', categoryId: 1n, nameFolded: 'ra' }),
      ).toEqual([1]);
    });

    test('report on each page whether more follow', async () => {
      const page = async (afterId: bigint | undefined, limit: number, filter = {}) => {
        const { items, more } = await subject.storage.pets.list(filter, { afterId, limit });
        return [items.map(({ id }) => Number(id)), more];
      };
      expect(await page(undefined, 4)).toEqual([[1, 2, 3, 4], true]);
      expect(await page(4n, 4)).toEqual([[5, 6], false]);
      expect(await page(undefined, 6)).toEqual([[1, 2, 3, 4, 5, 6], false]);
      expect(await page(undefined, 5)).toEqual([[1, 2, 3, 4, 5], true]);
      expect(await page(6n, 1)).toEqual([[], false]);
      expect(await page(-(2n ** 63n), 1)).toEqual([[1], true]);
      expect(await page(2n ** 63n - 1n, 1)).toEqual([[], false]);
      const available = { status: 'available' };
      expect(await page(1n, 2, available)).toEqual([[4, 5], true]);
      expect(await page(5n, 2, available)).toEqual([[6], false]);
    });

    test('descend on demand', async () => {
      const page = async (afterId: bigint | undefined, limit: number, filter = {}) => {
        const request = { afterId, limit, isDescending: true };
        const { items, more } = await subject.storage.pets.list(filter, request);
        return [items.map(({ id }) => Number(id)), more];
      };
      expect(await page(undefined, 4)).toEqual([[6, 5, 4, 3], true]);
      expect(await page(3n, 4)).toEqual([[2, 1], false]);
      expect(await page(1n, 4)).toEqual([[], false]);
      expect(await page(6n, 1, { status: 'available' })).toEqual([[5], true]);
      expect(await page(6n, 3, { status: 'available' })).toEqual([[5, 4, 1], false]);
      expect(await page(undefined, 9, { categoryId: 1n, ids: [1n, 3n] })).toEqual([[3, 1], false]);
    });

    test('count a category, up to a number', async () => {
      const count = (status: 'available' | 'sold' | undefined, max: number) =>
        subject.storage.pets.countInCategory(1n, status, max);
      expect(await count(undefined, 9)).toBe(3);
      expect(await count('available', 9)).toBe(2);
      expect(await count('available', 1)).toBe(1);
      expect(await subject.storage.pets.countInCategory(99n, undefined, 9)).toBe(0);
    });

    test('include the external id on pages for an export', async () => {
      await subject.storage.pets.importBatch(
        [imported({ name: 'Out', status: 'sold', externalId: 'A1' })],
        CHANGE_STAMP,
      );
      const first = await subject.storage.pets.exportPage(undefined, { afterId: 5n, limit: 1 });
      expect(first).toEqual({
        items: [
          { id: 6n, ...(animals[5] ?? animal()), externalId: undefined, profile: NEW_PROFILE },
        ],
        more: true,
        nextId: 7n,
      });
      const sold = await subject.storage.pets.exportPage('sold', { afterId: 3n, limit: 5 });
      expect(sold).toEqual({
        items: [
          {
            id: 7n,
            ...animal({ name: 'Out', status: 'sold' }),
            externalId: 'A1',
            profile: NEW_PROFILE,
          },
        ],
        more: false,
      });
    });
  });
});
