import { describe, expect, test } from 'bun:test';
import type { BatchOptions, ImportedPet, PetStatus } from '../../../src/domain/pet.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { anyState, imported, listAll, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

describeContract((engine) => {
  describe('importBatch', () => {
    const subject = forEachTest(() => openSubject(engine));

    /** Imports a batch and returns its outcome, with the number of changes. */
    const take = async (batch: readonly ImportedPet[], options?: BatchOptions) => {
      const {
        changes,
        ids: _ids,
        ...outcome
      } = await subject.storage.pets.importBatch(batch, CHANGE_STAMP, options);
      return { ...outcome, changed: changes.length };
    };
    const categories = () => subject.database.sql('SELECT id, name FROM categories ORDER BY id');
    const nothingNew = {
      created: 0,
      changed: 0,
      unchanged: 0,
      kept: 0,
      removed: 0,
      categoriesCreated: [] as string[],
      held: [] as string[],
    };

    test('adds animals in their order', async () => {
      const outcome = await take([
        imported({ name: 'A', category: { id: -(2n ** 63n) }, status: 'sold' }),
        imported({ name: 'B', category: { id: 2n ** 63n - 1n } }),
      ]);
      expect(outcome).toEqual({ ...nothingNew, created: 2 });
      expect(await listAll(subject.storage)).toEqual([
        { id: 1n, name: 'A', categoryId: -(2n ** 63n), status: 'sold' },
        { id: 2n, name: 'B', categoryId: 2n ** 63n - 1n, status: 'available' },
      ]);
    });

    test('an empty batch does nothing', async () => {
      expect(await take([])).toEqual(nothingNew);
    });

    test('animals without an external id are new each time', async () => {
      await take([imported()]);
      expect(await take([imported()])).toEqual({ ...nothingNew, created: 1 });
      expect(await subject.storage.pets.count()).toBe(2);
    });

    test('an external id identifies the animal of an earlier import', async () => {
      const first = [
        imported({ name: 'Same', externalId: '1' }),
        imported({ name: 'Renamed', externalId: '2' }),
        imported({ name: 'Moved', externalId: '3' }),
        imported({ name: 'Sold', externalId: '4' }),
      ];
      await take(first);
      expect(await take(first)).toEqual({ ...nothingNew, unchanged: 4 });
      const outcome = await take([
        imported({ name: 'Same', externalId: '1' }),
        imported({ name: 'Other name', externalId: '2' }),
        imported({ name: 'Moved', externalId: '3', category: { id: 9n } }),
        imported({ name: 'Sold', externalId: '4', status: 'sold' }),
        imported({ name: 'New', externalId: '5' }),
      ]);
      expect(outcome).toEqual({ ...nothingNew, created: 1, changed: 3, unchanged: 1 });
      const pets = await listAll(subject.storage);
      expect(pets.map((pet) => [pet.id, pet.name, pet.categoryId, pet.status])).toEqual([
        [1n, 'Same', 1n, 'available'],
        [2n, 'Other name', 1n, 'available'],
        [3n, 'Moved', 9n, 'available'],
        [4n, 'Sold', 1n, 'sold'],
        [5n, 'New', 1n, 'available'],
      ]);
      expect(await listAll(subject.storage, { nameFolded: 'other' })).toHaveLength(1);
      expect(await listAll(subject.storage, { nameFolded: 'renamed' })).toHaveLength(0);
    });

    test('external ids are compared character by character', async () => {
      const ids = ['a', 'A', ' a', 'a ', '\u00e9', 'e\u0301', '1', '01', '1.0'];
      const batch = ids.map((externalId) => imported({ externalId }));
      expect(await take(batch)).toEqual({ ...nothingNew, created: ids.length });
      expect(await take(batch)).toEqual({ ...nothingNew, unchanged: ids.length });
    });

    test('creates each category once by name, ignoring case', async () => {
      const batch = ['Dog', 'DOG', 'Straße', 'STRASSE', 'dog'].map((name) =>
        imported({ category: { name } }),
      );
      const outcome = await take(batch);
      expect(outcome).toEqual({ ...nothingNew, created: 5, categoriesCreated: ['Dog', 'Straße'] });
      expect(await categories()).toEqual([
        { id: 1n, name: 'Dog' },
        { id: 2n, name: 'Straße' },
      ]);
      expect((await listAll(subject.storage)).map((pet) => pet.categoryId)).toEqual([
        1n,
        1n,
        2n,
        2n,
        1n,
      ]);
      const again = await take([imported({ category: { name: 'dOG' } })]);
      expect(again.categoriesCreated).toEqual([]);
    });

    test('a dry run reports the same outcome and changes nothing', async () => {
      await take([imported({ externalId: '1' }), imported({ externalId: '2' })]);
      const batch = [
        imported({ externalId: '1' }),
        imported({ externalId: '2', status: 'sold' }),
        imported({ externalId: '3', category: { name: 'Dog' } }),
        imported({ category: { name: 'dog' } }),
        imported({ externalId: '4' }),
      ];
      const before = await listAll(subject.storage);
      const predicted = await take(batch, { dryRun: true });
      expect(await listAll(subject.storage)).toEqual(before);
      expect(await categories()).toEqual([]);
      const done = await take(batch);
      expect(predicted).toEqual(done);
      expect(done).toEqual({
        ...nothingNew,
        created: 3,
        changed: 1,
        unchanged: 1,
        categoriesCreated: ['Dog'],
      });
    });

    test('leaves an animal with an open order unchanged, and reports its external id', async () => {
      const batch = (...statuses: PetStatus[]) =>
        statuses.map((status, i) => imported({ name: 'New', externalId: `id ${i}`, status }));
      const all: PetStatus[] = ['available', 'available', 'available', 'available'];
      await take(batch(...all).map((pet) => ({ ...pet, name: 'Old' })));
      const order = { adopter: undefined };
      for (const petId of [2n, 3n, 4n])
        await subject.storage.orders.place({ petId, ...order }, CHANGE_STAMP);
      await subject.storage.orders.update(3n, { status: 'cancelled' }, CHANGE_STAMP, anyState);

      // The second would be sold despite its order, the third keeps its status, the fourth is free.
      const next = batch('sold', 'sold', 'pending', 'sold');
      const expected = { ...nothingNew, changed: 3, held: ['id 1'] };
      expect(await take(next, { dryRun: true })).toEqual(expected);
      expect(await take(next)).toEqual(expected);
      const pets = await listAll(subject.storage);
      expect(pets.map(({ name, status }) => `${name} ${status}`)).toEqual([
        'New sold',
        'Old pending',
        'New pending',
        'New sold',
      ]);
      expect((await subject.storage.orders.find(1n))?.status).toBe('placed');
      const again = await take(next);
      expect(again).toEqual({ ...nothingNew, unchanged: 3, held: ['id 1'] });
    });

    test('imports the whole batch or nothing', async () => {
      await take([imported({ externalId: '1' })]);
      const batch = [
        imported({ externalId: '1', status: 'sold' }),
        imported({ category: { name: 'Cat' } }),
        // Violates a constraint after the earlier rows were written.
        imported({ name: '' }),
      ];
      const importing = async () => await take(batch);
      await expect(importing()).rejects.toThrow();
      expect(await listAll(subject.storage)).toEqual([
        { id: 1n, name: 'Rex', categoryId: 1n, status: 'available' },
      ]);
      expect(await categories()).toEqual([]);
      expect(await take([imported({ externalId: '2' })])).toEqual({ ...nothingNew, created: 1 });
    });

    test('reset removes animals and categories, and never reuses their ids', async () => {
      await take([imported({ category: { name: 'Dog' }, externalId: '1' })]);
      await subject.storage.reset(CHANGE_STAMP);
      expect(await subject.storage.pets.count()).toBe(0);
      expect(await categories()).toEqual([]);
      const outcome = await take([imported({ category: { name: 'Dog' }, externalId: '1' })]);
      expect(outcome).toEqual({ ...nothingNew, created: 1, categoriesCreated: ['Dog'] });
      const [pet] = await listAll(subject.storage);
      expect([pet?.id, pet?.categoryId]).toEqual([2n, 2n]);
    });
  });
});
