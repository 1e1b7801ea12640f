import { beforeEach, describe, expect, test } from 'bun:test';
import type { BatchOptions, ImportedPet, PetChange } from '../../../src/domain/pet.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { anyState, imported, listAll, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const REX = imported({ name: 'Rex', category: { name: 'Dog' }, externalId: '1' });

describeContract((engine) => {
  describe('importBatch of a file that was imported before', () => {
    const subject = forEachTest(() => openSubject(engine));
    beforeEach(async () => {
      await take([REX]);
    });

    /** Imports a batch and returns its counts without the zeros. */
    async function take(batch: readonly ImportedPet[], options?: BatchOptions) {
      const {
        changes,
        held,
        categoriesCreated,
        ids: _ids,
        ...counts
      } = await subject.storage.pets.importBatch(batch, CHANGE_STAMP, options);
      const all = { ...counts, changed: changes.length, held: held.length };
      return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
    }
    const change = async (change: PetChange) =>
      void (await subject.storage.pets.update(1n, change, CHANGE_STAMP, anyState));
    const remove = async () => void (await subject.storage.pets.remove(1n, CHANGE_STAMP, anyState));
    const animals = async () =>
      (await listAll(subject.storage)).map(({ id, name, status }) => `${id} ${name} ${status}`);
    const categories = () => subject.database.sql('SELECT name FROM categories ORDER BY id');

    test.each<PetChange>([{ name: 'Max' }, { status: 'sold' }, { categoryId: 9n }])(
      'keeps %p of an animal while its row is the same',
      async (changed) => {
        await change(changed);
        const before = await listAll(subject.storage);
        expect(await take([REX], { dryRun: true })).toEqual({ kept: 1 });
        expect(await take([REX])).toEqual({ kept: 1 });
        expect(await take([REX])).toEqual({ kept: 1 });
        expect(await listAll(subject.storage)).toEqual(before);
      },
    );

    test('does not bring a removed animal back while its row is the same', async () => {
      await remove();
      expect(await take([REX], { dryRun: true })).toEqual({ removed: 1 });
      expect(await take([REX])).toEqual({ removed: 1 });
      await subject.reopen();
      expect(await take([REX])).toEqual({ removed: 1 });
      expect(await animals()).toEqual([]);
    });

    test('findImported returns the animals with these external ids, by id', async () => {
      const batch = ['3', '"', '2'].map((externalId) => imported({ externalId }));
      await take([...batch, imported()]);
      const ids = async (...externalIds: string[]) =>
        (await subject.storage.pets.findImported(externalIds)).map(({ id }) => id);
      expect(await subject.storage.pets.findImported(['1'])).toEqual(
        (await listAll(subject.storage)).slice(0, 1).map((pet) => ({ ...pet, externalId: '1' })),
      );
      expect(await ids('"', '1', '3', 'unknown', '02')).toEqual([1n, 2n, 3n]);
      expect(await ids()).toEqual([]);
      await remove();
      expect(await ids('1')).toEqual([]);
    });

    test('keeps an animal sold after its adoption', async () => {
      await subject.storage.orders.place({ petId: 1n, adopter: undefined }, CHANGE_STAMP);
      expect(await take([REX])).toEqual({ kept: 1 });
      for (const status of ['approved', 'completed'] as const) {
        await subject.storage.orders.update(1n, { status }, CHANGE_STAMP, anyState);
      }
      expect(await take([REX])).toEqual({ kept: 1 });
      expect(await animals()).toEqual(['1 Rex sold']);
    });

    test.each<Partial<ImportedPet>>([
      { name: 'Tom' },
      { status: 'pending' },
      { category: { name: 'Cat' } },
      { category: { id: 1n } },
    ])('applies a row that now says %p, and remembers it', async (parts) => {
      await change({ name: 'Max' });
      const next = { ...REX, ...parts };
      expect(await take([next], { dryRun: true })).toEqual({ changed: 1 });
      expect(await take([next])).toEqual({ changed: 1 });
      expect(await animals()).toEqual([`1 ${next.name} ${next.status}`]);
      await change({ name: 'Max' });
      expect(await take([next])).toEqual({ kept: 1 });
      expect(await take([REX])).toEqual({ changed: 1 });
    });

    test('adds a removed animal again when its row has changed', async () => {
      await remove();
      const back = { ...REX, status: 'pending' as const };
      expect(await take([back])).toEqual({ created: 1 });
      expect(await animals()).toEqual(['2 Rex pending']);
    });

    test('remembers a row that agrees with an earlier change here', async () => {
      await change({ status: 'sold' });
      const sold = { ...REX, status: 'sold' as const };
      expect(await take([sold])).toEqual({ unchanged: 1 });
      await change({ status: 'available' });
      expect(await take([sold])).toEqual({ kept: 1 });
    });

    test('with overwrite, the row wins over a change or a removal', async () => {
      await change({ name: 'Max' });
      const overwrite = { overwrite: true };
      expect(await take([REX], { ...overwrite, dryRun: true })).toEqual({ changed: 1 });
      expect(await animals()).toEqual(['1 Max available']);
      expect(await take([REX], overwrite)).toEqual({ changed: 1 });
      expect(await take([REX], overwrite)).toEqual({ unchanged: 1 });
      expect(await animals()).toEqual(['1 Rex available']);
      await remove();
      expect(await take([REX], overwrite)).toEqual({ created: 1 });
      expect(await animals()).toEqual(['2 Rex available']);
      expect(await take([REX])).toEqual({ unchanged: 1 });
    });

    test('retries a row that an open order held back', async () => {
      const { id } = await subject.storage.orders.place(
        { petId: 1n, adopter: undefined },
        CHANGE_STAMP,
      );
      const sold = { ...REX, status: 'sold' as const };
      expect(await take([sold])).toEqual({ held: 1 });
      await subject.storage.orders.update(id, { status: 'cancelled' }, CHANGE_STAMP, anyState);
      expect(await take([sold])).toEqual({ changed: 1 });
      expect(await animals()).toEqual(['1 Rex sold']);
    });

    test('creates no category that only unapplied rows name', async () => {
      const cat = imported({ category: { name: 'Cat' }, externalId: '2' });
      await take([cat]);
      await subject.storage.categories.rename(1n, 'Dogs', CHANGE_STAMP, anyState);
      await subject.storage.pets.remove(2n, CHANGE_STAMP, anyState);
      await subject.storage.categories.remove(2n, CHANGE_STAMP, anyState);
      expect(await take([REX, cat])).toEqual({ kept: 1, removed: 1 });
      expect(await categories()).toEqual([{ name: 'Dogs' }]);
      await subject.storage.orders.place({ petId: 1n, adopter: undefined }, CHANGE_STAMP);
      const bird = { ...REX, category: { name: 'Bird' } };
      expect(await take([bird])).toEqual({ held: 1 });
      expect(await categories()).toEqual([{ name: 'Dogs' }]);
    });

    test('treats category names that differ in case as the same', async () => {
      await change({ name: 'Max' });
      expect(await take([{ ...REX, category: { name: 'DOG' } }])).toEqual({ kept: 1 });
    });

    test('applies the file to animals imported before rows were remembered', async () => {
      await change({ name: 'Max' });
      await subject.database.sql('DELETE FROM imported_rows');
      expect(await take([REX])).toEqual({ changed: 1 });
      await change({ name: 'Max' });
      expect(await take([REX])).toEqual({ kept: 1 });
    });

    test('reports each animal as it was before, and the row that changed it', async () => {
      const next = { ...REX, status: 'sold' as const };
      const [before] = await listAll(subject.storage);
      const { changes } = await subject.storage.pets.importBatch([next], CHANGE_STAMP);
      const change = { before, row: next, isPetChanged: true, profile: {} };
      expect(changes).toEqual([change] as typeof changes);
    });

    test('remembers nothing of a failed batch, and nothing after a reset', async () => {
      const next = { ...REX, name: 'Tom' };
      const failing = async () => await take([next, imported({ name: '' })]);
      await expect(failing()).rejects.toThrow();
      expect(await take([next])).toEqual({ changed: 1 });
      await subject.storage.reset(CHANGE_STAMP);
      expect(await take([next])).toEqual({ created: 1 });
    });
  });
});
