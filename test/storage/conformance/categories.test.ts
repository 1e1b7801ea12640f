import { describe, expect, test } from 'bun:test';
import type { CategoryFilter } from '../../../src/domain/category.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

describeContract((engine) => {
  describe('categories', () => {
    const subject = forEachTest(() => openSubject(engine));

    const create = async (name: string) =>
      await subject.storage.categories.create(name, CHANGE_STAMP);
    const rename = async (id: bigint, name: string | undefined) =>
      await subject.storage.categories.rename(id, name, CHANGE_STAMP, anyState);
    const remove = async (id: bigint) =>
      await subject.storage.categories.remove(id, CHANGE_STAMP, anyState);
    const all = async () =>
      (await subject.storage.categories.list({ afterId: undefined, limit: 100 })).items;

    test.each(['Dog', ' Dog ', '😺'.repeat(100), 'e\u0301', `'"; --`, '\u2028'])(
      'the name %p is stored unchanged',
      async (name) => {
        expect(await create(name)).toEqual({ id: 1n, name });
        await subject.reopen();
        expect(await subject.storage.categories.find(1n)).toEqual({ id: 1n, name });
        expect(await all()).toEqual([{ id: 1n, name }]);
      },
    );

    test('are found by their ids, and by a name in any case', async () => {
      for (const name of ['Dog', 'Cat', 'Straße']) await create(name);
      const found = async (filter: CategoryFilter) => {
        const page = { afterId: undefined, limit: 2 };
        const { items, more } = await subject.storage.categories.list(page, filter);
        return [items.map(({ id }) => Number(id)), more];
      };
      expect(await found({ ids: [3n, 1n, 9n] })).toEqual([[1, 3], false]);
      expect(await found({ ids: [1n, 2n, 3n] })).toEqual([[1, 2], true]);
      expect(await found({ ids: [] })).toEqual([[], false]);
      expect(await found({ nameFolded: 'strasse' })).toEqual([[3], false]);
      expect(await found({ nameFolded: 'stra' })).toEqual([[], false]);
      expect(await found({ ids: [1n], nameFolded: 'cat' })).toEqual([[], false]);
    });

    test.each([
      ['Dog', 'dOG'],
      ['Straße', 'STRASSE'],
      ['STRASSE', 'straße'],
      ['STRAẞE', 'strasse'],
      ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
      ['ς', 'Σ'],
      ['ﬁsh', 'FISH'],
      ['Ǆ', 'ǅ'],
      ['ЁЖ', 'ёж'],
    ])('%s and %s count as the same name', async (first, second) => {
      await create(first);
      await create('Other');
      await expect(create(second)).rejects.toMatchObject({ code: 'conflict' });
      await expect(rename(2n, second)).rejects.toMatchObject({ code: 'conflict' });
      expect(await all()).toEqual([
        { id: 1n, name: first },
        { id: 2n, name: 'Other' },
      ]);
      expect(await rename(1n, second)).toEqual({ id: 1n, name: second });
      await expect(create(first)).rejects.toMatchObject({ code: 'conflict' });
    });

    test.each([
      ['Dog', 'Dog '],
      ['\u00e9', 'e\u0301'],
      ['a', 'á'],
      ['o', '0'],
      ['Dog', 'Dogs'],
    ])('%p and %p count as different names', async (first, second) => {
      await create(first);
      expect(await create(second)).toEqual({ id: 2n, name: second });
    });

    test('a name is free again after a removal or a rename', async () => {
      await create('Dog');
      await rename(1n, 'Cat');
      expect((await create('DOG')).id).toBe(2n);
      expect(await remove(2n)).toBe(true);
      expect((await create('dog')).id).toBe(3n);
      expect(await subject.storage.categories.find(2n)).toBeUndefined();
    });

    test('a change without a name keeps the name', async () => {
      await create('Dog');
      expect(await rename(1n, undefined)).toEqual({ id: 1n, name: 'Dog' });
      expect(await rename(1n, 'Dog')).toEqual({ id: 1n, name: 'Dog' });
    });

    test('an unknown category is neither renamed nor removed', async () => {
      for (const id of [1n, 0n, -(2n ** 63n), 2n ** 63n - 1n]) {
        expect(await subject.storage.categories.find(id)).toBeUndefined();
        expect(await rename(id, 'Dog')).toBeUndefined();
        expect(await remove(id)).toBe(false);
      }
    });

    test('a category with animals is not removed, and the failure reports their number', async () => {
      await create('Dog');
      const refusal = (animals: string) => ({
        code: 'conflict',
        message: `${animals} to category 1: move or remove them first.`,
      });
      const pets = [1, 2, 3].map(() => animal({ categoryId: 1n }));
      for (const pet of pets) await subject.storage.pets.create(pet, CHANGE_STAMP);
      await subject.storage.pets.create(animal({ categoryId: 2n }), CHANGE_STAMP);
      await expect(remove(1n)).rejects.toMatchObject(refusal('3 animals refer'));
      await subject.storage.pets.remove(1n, CHANGE_STAMP, anyState);
      await subject.storage.pets.update(2n, { categoryId: 9n }, CHANGE_STAMP, anyState);
      await expect(remove(1n)).rejects.toMatchObject(refusal('1 animal refers'));
      expect(await all()).toHaveLength(1);
      await subject.storage.pets.remove(3n, CHANGE_STAMP, anyState);
      expect(await remove(1n)).toBe(true);
    });

    test('a category with very many animals is not removed, without counting them all', async () => {
      await create('Dog');
      const pets = Array.from({ length: 1_001 }, () => imported({ category: { id: 1n } }));
      await subject.storage.pets.importBatch(pets.slice(1), CHANGE_STAMP);
      const refusal = (animals: string) => ({
        message: `${animals} animals refer to category 1: move or remove them first.`,
      });
      await expect(remove(1n)).rejects.toMatchObject(refusal('1000'));
      await subject.storage.pets.importBatch(pets, CHANGE_STAMP);
      await expect(remove(1n)).rejects.toMatchObject(refusal('More than 1,000'));
    });

    test('a precondition gets the current category and can refuse the change', async () => {
      await create('Dog');
      const seen: unknown[] = [];
      const forbid = (current: unknown) => {
        seen.push(current);
        throw new RangeError('forbidden');
      };
      const { categories } = subject.storage;
      const changes = [
        async () => await categories.rename(1n, 'Cat', CHANGE_STAMP, forbid),
        async () => await categories.remove(1n, CHANGE_STAMP, forbid),
      ];
      for (const refused of changes) await expect(refused()).rejects.toThrow('forbidden');
      expect(seen).toEqual([1, 2].map(() => ({ id: 1n, name: 'Dog' })));
      expect(await all()).toEqual([{ id: 1n, name: 'Dog' }]);
    });

    test('each page reports whether more follow', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
      const page = async (afterId: bigint | undefined, limit: number) => {
        const { items, more } = await subject.storage.categories.list({ afterId, limit });
        return [items.map(({ name }) => name).join(''), more];
      };
      expect(await page(undefined, 5)).toEqual(['abcde', false]);
      expect(await page(undefined, 4)).toEqual(['abcd', true]);
      expect(await page(4n, 4)).toEqual(['e', false]);
      expect(await page(2n ** 63n - 1n, 4)).toEqual(['', false]);
    });

    test('of concurrent categories with one name, only one is created, even across processes', async () => {
      await using other = await subject.another();
      const creating = [subject.storage, other.storage, subject.storage].map(
        async ({ categories }, i) =>
          await categories.create(['Dog', 'DOG', 'dog'][i] ?? '', CHANGE_STAMP),
      );
      const outcomes = await Promise.allSettled(creating);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await all()).toHaveLength(1);
    });
  });
});
