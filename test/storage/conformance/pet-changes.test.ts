import { describe, expect, test } from 'bun:test';
import type { NewPet, PetChange } from '../../../src/domain/pet.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, imported, listAll, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));

  const at = (later: number, keyId: bigint | null = null) => ({
    at: CHANGE_STAMP.at + later,
    keyId,
  });
  const add = async (parts = {}) => await subject.storage.pets.create(animal(parts), at(0, 3n));
  const change = async (id: bigint, to: PetChange, stamp = at(1)) =>
    await subject.storage.pets.update(id, to, stamp, anyState);
  const find = async (id: bigint) => await subject.storage.pets.find(id);
  const place = async (petId: bigint) =>
    await subject.storage.orders.place({ petId, adopter: undefined }, at(1, 4n));
  const move = async (id: bigint, status: 'approved' | 'completed' | 'cancelled') =>
    await subject.storage.orders.update(id, { status }, at(2, 5n), anyState);
  const history = async (id: bigint) =>
    (await subject.storage.pets.history(id, { afterId: undefined, limit: 100 }))?.items;
  const statuses = async (id: bigint) => (await history(id))?.map(({ status }) => status);

  describe('a change of an animal', () => {
    test.each<[string, Partial<NewPet>]>([
      ['nothing', {}],
      ['the name', { name: `😺'"` }],
      ['the category', { categoryId: -(2n ** 63n) }],
      ['the status', { status: 'sold' }],
      ['everything', { name: 'Tom', categoryId: 2n ** 63n - 1n, status: 'pending' }],
    ])('changes %s and keeps the rest', async (_, to) => {
      const pet = await add();
      const other = await add({ name: 'Other' });
      const expected = { ...pet, ...to };
      expect(await change(pet.id, to)).toEqual(expected);
      await subject.reopen();
      expect(await find(pet.id)).toEqual(expected);
      expect(await find(other.id)).toEqual(other);
    });

    test('makes the animal findable by the new name and not by the old one', async () => {
      await add({ name: 'Straße' });
      await change(1n, { name: 'ΣΊΣΥΦΟΣ' });
      expect(await listAll(subject.storage, { nameFolded: 'strasse' })).toEqual([]);
      expect(await listAll(subject.storage, { nameFolded: 'σισυφοσ' })).toHaveLength(1);
    });

    test('of an unknown animal returns undefined', async () => {
      for (const id of [1n, 0n, -1n, 2n ** 63n - 1n]) {
        expect(await change(id, { name: 'Tom' })).toBeUndefined();
        expect(await subject.storage.pets.remove(id, CHANGE_STAMP, anyState)).toBe(false);
        expect(await history(id)).toBeUndefined();
      }
    });

    test('can be refused by a precondition, which gets the current animal, and so can a removal', async () => {
      const pet = await add();
      const seen: unknown[] = [];
      const forbid = (current: unknown) => {
        seen.push(current);
        throw new RangeError('forbidden');
      };
      const { pets } = subject.storage;
      const changes = [
        async () => await pets.update(1n, { status: 'sold' }, CHANGE_STAMP, forbid),
        async () => await pets.remove(1n, CHANGE_STAMP, forbid),
      ];
      for (const refused of changes) await expect(refused()).rejects.toThrow('forbidden');
      expect(seen).toEqual([pet, pet]);
      expect(await find(1n)).toEqual(pet);
      expect(await statuses(1n)).toEqual(['available']);
    });

    test('with a precondition succeeds once among concurrent ones with the same precondition', async () => {
      const pet = await add();
      const unchanged = (current: typeof pet) => {
        if (current.name !== pet.name) throw new RangeError('changed');
      };
      await using other = await subject.another();
      const changing = [subject.storage, other.storage, subject.storage].map(
        async ({ pets }, i) => await pets.update(1n, { name: `${i}` }, CHANGE_STAMP, unchanged),
      );
      const outcomes = await Promise.allSettled(changing);
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(won.map(({ value }) => value)).toEqual([await find(1n)]);
    });
  });

  describe('an open order', () => {
    test.each(['placed', 'approved'] as const)(
      'that is %s blocks status changes and removal of its animal',
      async (status) => {
        const { id } = await add();
        const order = await place(id);
        if (status === 'approved') await move(order.id, status);
        const pet = await find(id);
        for (const to of ['available', 'sold'] as const) {
          const held = { code: 'conflict', message: expect.stringContaining('open order 1') };
          await expect(change(id, { status: to, name: 'Tom' })).rejects.toMatchObject(held);
        }
        const removing = async () => await subject.storage.pets.remove(id, CHANGE_STAMP, anyState);
        await expect(removing()).rejects.toMatchObject({ code: 'conflict' });
        expect(await find(id)).toEqual(pet);
      },
    );

    test('allows changes of name and category, and a change to the same status', async () => {
      const { id } = await add();
      await place(id);
      const to = { name: 'Tom', categoryId: 9n, status: 'pending' } as const;
      expect(await change(id, to)).toEqual({ id, ...to });
      expect(await statuses(id)).toEqual(['available', 'pending']);
    });

    test.each([
      ['cancelled', ['cancelled']],
      ['completed', ['approved', 'completed']],
    ] as const)('no longer blocks its animal once it is %s', async (_, moves) => {
      const { id } = await add();
      await place(id);
      for (const status of moves) await move(1n, status);
      expect(await change(id, { status: 'pending' })).toMatchObject({ status: 'pending' });
      expect(await subject.storage.pets.remove(id, CHANGE_STAMP, anyState)).toBe(true);
      expect((await subject.storage.orders.find(1n))?.petId).toBe(id);
    });
  });

  describe('a removal', () => {
    test('removes the animal and its history, and its id is not reused', async () => {
      const { id } = await add();
      await add();
      expect(await subject.storage.pets.remove(2n, CHANGE_STAMP, anyState)).toBe(true);
      expect(await subject.storage.pets.remove(2n, CHANGE_STAMP, anyState)).toBe(false);
      expect(await history(2n)).toBeUndefined();
      await subject.reopen();
      expect((await add()).id).toBe(3n);
      expect((await listAll(subject.storage)).map((pet) => pet.id)).toEqual([id, 3n]);
      expect(await statuses(3n)).toEqual(['available']);
      expect(await subject.database.sql('SELECT * FROM status_changes WHERE pet_id = 2')).toEqual(
        [],
      );
    });
  });

  describe('history', () => {
    test('has each status with its time and its key, including the first', async () => {
      const { id } = await add({ status: 'sold' });
      await change(id, { status: 'available' }, at(1, 8n));
      await place(id);
      await move(1n, 'approved');
      await move(1n, 'completed');
      expect(await history(id)).toEqual([
        { id: 1n, status: 'sold', changedAt: CHANGE_STAMP.at, keyId: 3n },
        { id: 2n, status: 'available', changedAt: CHANGE_STAMP.at + 1, keyId: 8n },
        { id: 3n, status: 'pending', changedAt: CHANGE_STAMP.at + 1, keyId: 4n },
        { id: 4n, status: 'sold', changedAt: CHANGE_STAMP.at + 2, keyId: 5n },
      ]);
    });

    test('omits changes that keep the status and refused changes', async () => {
      const { id } = await add();
      await change(id, { name: 'Tom', categoryId: 2n, status: 'available' });
      await place(id);
      await expect(change(id, { status: 'sold' })).rejects.toThrow();
      await expect(place(id)).rejects.toThrow();
      expect(await statuses(id)).toEqual(['available', 'pending']);
    });

    test('includes changes by an import, without a key', async () => {
      const take = async (status: 'available' | 'sold') =>
        await subject.storage.pets.importBatch(
          [imported({ externalId: 'x', status })],
          CHANGE_STAMP,
        );
      for (const status of ['available', 'sold', 'sold', 'available'] as const) await take(status);
      expect(await statuses(1n)).toEqual(['available', 'sold', 'available']);
      expect((await history(1n))?.map(({ keyId }) => keyId)).toEqual([null, null, null]);
    });

    test('is paged, for one animal only', async () => {
      await add();
      await add();
      for (const status of ['sold', 'pending', 'available'] as const) {
        for (const id of [1n, 2n]) await change(id, { status });
      }
      const page = async (afterId: bigint | undefined, limit: number) => {
        const found = await subject.storage.pets.history(2n, { afterId, limit });
        return [found?.items.map(({ status }) => status), found?.more];
      };
      expect(await page(undefined, 4)).toEqual([
        ['available', 'sold', 'pending', 'available'],
        false,
      ]);
      expect(await page(undefined, 3)).toEqual([['available', 'sold', 'pending'], true]);
      const ids = (await history(2n))?.map(({ id }) => id) ?? [];
      expect(await page(ids[1], 1)).toEqual([['pending'], true]);
      expect(await page(ids[2], 1)).toEqual([['available'], false]);
      expect(await page(ids[3], 1)).toEqual([[], false]);
    });
  });
});
