import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { PetFilter, PetStatus } from '../../../src/domain/pet.ts';
import { weekAt } from '../../../src/domain/stats.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { animal, anyState, imported, openSubject, type Subject } from '../subject.ts';
import { describeContract } from './contract.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const SUNDAY_NIGHT = Date.UTC(2026, 10, 22, 23, 59, 59, 999);

describeContract((engine) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await openSubject(engine);
  });
  afterEach(async () => subject[Symbol.asyncDispose]());

  const counted = (filter: PetFilter) =>
    subject.storage.pets.list(filter, { afterId: undefined, limit: 100 });

  /** The counts, after a check that they are those of the lists. */
  async function pets(): Promise<Readonly<Record<PetStatus, number>>> {
    const counts = await subject.storage.stats.pets();
    for (const [status, count] of Object.entries(counts)) {
      // The names of the record are statuses.
      expect((await counted({ status: status as PetStatus })).items).toHaveLength(count);
    }
    for (const { id, pets: count } of await subject.storage.stats.categories(100)) {
      expect((await counted({ categoryId: id })).items).toHaveLength(count);
    }
    return counts;
  }

  /** Places an order and completes it at a time. */
  async function adopt(at: number): Promise<bigint> {
    const { pets, orders } = subject.storage;
    const stamp = { ...CHANGE_STAMP, at };
    const pet = await pets.create(animal(), stamp);
    const { id } = await orders.place({ petId: pet.id, note: 'Two cats' }, stamp);
    await orders.update(id, { status: 'approved' }, stamp, anyState);
    await orders.update(id, { status: 'completed' }, stamp, anyState);
    return id;
  }

  describe('statistics', () => {
    test('of an empty database are zeros', async () => {
      const { stats } = subject.storage;
      expect(await stats.pets()).toEqual({ available: 0, pending: 0, sold: 0 });
      expect(await stats.categories(10)).toEqual([]);
      expect(await stats.adoptions(0)).toEqual([]);
    });

    test('follow additions, changes, orders and removals', async () => {
      const { pets: animals, categories, orders } = subject.storage;
      const dogs = await categories.create('Dogs', CHANGE_STAMP);
      const cats = await categories.create('Cats', CHANGE_STAMP);
      const rex = await animals.create(animal({ categoryId: dogs.id }), CHANGE_STAMP);
      const tom = await animals.create(
        animal({ categoryId: cats.id, status: 'sold' }),
        CHANGE_STAMP,
      );
      await animals.create(animal({ categoryId: INT64_MIN }), CHANGE_STAMP);
      await animals.create(animal({ categoryId: INT64_MAX }), CHANGE_STAMP);
      expect(await pets()).toEqual({ available: 3, pending: 0, sold: 1 });

      await orders.place({ petId: rex.id }, CHANGE_STAMP);
      expect(await pets()).toEqual({ available: 2, pending: 1, sold: 1 });
      const moved = { categoryId: dogs.id, status: 'available', name: 'Tim' } as const;
      await animals.update(tom.id, moved, CHANGE_STAMP, anyState);
      expect(await pets()).toEqual({ available: 3, pending: 1, sold: 0 });
      expect(await subject.storage.stats.categories(10)).toEqual([
        { id: dogs.id, name: 'Dogs', pets: 2 },
        { id: cats.id, name: 'Cats', pets: 0 },
      ]);
      await animals.remove(tom.id, CHANGE_STAMP, anyState);
      expect(await pets()).toEqual({ available: 2, pending: 1, sold: 0 });
      await subject.reopen();
      expect(await pets()).toEqual({ available: 2, pending: 1, sold: 0 });
    });

    test('follow imports, and writes that fail or are dry', async () => {
      const { pets: animals } = subject.storage;
      const rows = [
        imported({ externalId: 'a', category: { name: 'Dogs' } }),
        imported({ externalId: 'b', category: { name: 'Cats' } }),
        imported({ externalId: 'c', category: { name: 'Cats' }, status: 'sold' }),
      ];
      await animals.importBatch(rows, CHANGE_STAMP, { dryRun: true });
      expect(await pets()).toEqual({ available: 0, pending: 0, sold: 0 });
      await animals.importBatch(rows, CHANGE_STAMP);
      await animals.importBatch([{ ...rows[0], status: 'pending' } as never], CHANGE_STAMP);
      expect(await pets()).toEqual({ available: 1, pending: 1, sold: 1 });
      const failing = async () => await subject.storage.orders.place({ petId: 3n }, CHANGE_STAMP);
      await expect(failing()).rejects.toThrow();
      expect(await pets()).toEqual({ available: 1, pending: 1, sold: 1 });
    });

    test('list the largest categories first, and no more than asked for', async () => {
      const { pets: animals, categories, stats } = subject.storage;
      for (const name of ['A', 'B', 'C', 'D']) await categories.create(name, CHANGE_STAMP);
      for (const categoryId of [3n, 3n, 2n, 4n]) {
        await animals.create(animal({ categoryId }), CHANGE_STAMP);
      }
      expect((await stats.categories(3)).map(({ id }) => id)).toEqual([3n, 2n, 4n]);
    });

    test('count adoptions in the week of their completion, whatever changes later', async () => {
      const { orders, stats } = subject.storage;
      const week = weekAt(SUNDAY_NIGHT);
      const first = await adopt(SUNDAY_NIGHT);
      await adopt(SUNDAY_NIGHT);
      await adopt(SUNDAY_NIGHT + 1);
      const later = { ...CHANGE_STAMP, at: SUNDAY_NIGHT + 30 * 86_400_000 };
      await orders.update(first, { note: null }, later, anyState);
      expect(await stats.adoptions(week)).toEqual([
        { week, completed: 2 },
        { week: week + 1, completed: 1 },
      ]);
      expect(await stats.adoptions(week + 1)).toEqual([{ week: week + 1, completed: 1 }]);
    });

    test('are zeros again after a reset, and count what comes then', async () => {
      await subject.storage.categories.create('Dogs', CHANGE_STAMP);
      await adopt(SUNDAY_NIGHT);
      await subject.storage.reset(CHANGE_STAMP);
      expect(await pets()).toEqual({ available: 0, pending: 0, sold: 0 });
      expect(await subject.storage.stats.adoptions(0)).toEqual([]);
      await adopt(SUNDAY_NIGHT);
      expect(await pets()).toEqual({ available: 0, pending: 0, sold: 1 });
      expect(await subject.storage.stats.adoptions(0)).toMatchObject([{ completed: 1 }]);
    });
  });
});
