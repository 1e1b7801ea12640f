import { describe, expect, test } from 'bun:test';
import type { PetFilter, PetStatus } from '../../../src/domain/pet.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, imported, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const SUNDAY_NIGHT = Date.UTC(2026, 10, 22, 23, 59, 59, 999);

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

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
