import { describe, expect, test } from 'bun:test';
import { ORDER_STATUSES, type OrderChange, type OrderStatus } from '../../../src/domain/order.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { animal, anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

/** The allowed moves from each status, and the status that each gives the animal. */
const ALLOWED: Record<OrderStatus, Partial<Record<OrderStatus, string>>> = {
  placed: { approved: 'pending', cancelled: 'available' },
  approved: { completed: 'sold', cancelled: 'available' },
  completed: {},
  cancelled: {},
};
/** The moves that lead to each status from `placed`. */
const STEPS_TO: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: [],
  approved: ['approved'],
  completed: ['approved', 'completed'],
  cancelled: ['cancelled'],
};
const MOVES = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const));

describeContract((engine) => {
  describe('orders', () => {
    const subject = forEachTest(() => openSubject(engine));

    const at = (later: number) => ({ at: CHANGE_STAMP.at + later, keyId: 7n });
    const addPet = async () => (await subject.storage.pets.create(animal(), CHANGE_STAMP)).id;
    const place = async (petId: bigint, adopter?: string) =>
      await subject.storage.orders.place({ petId, adopter }, at(0));
    const change = async (id: bigint, to: OrderChange, later = 5) =>
      await subject.storage.orders.update(id, to, at(later), anyState);
    const petStatus = async (id: bigint) => (await subject.storage.pets.find(id))?.status;
    const list = async (filter = {}, afterId?: bigint, limit = 100) => {
      const page = await subject.storage.orders.list(filter, { afterId, limit });
      return [page.items.map(({ id }) => Number(id)), page.more];
    };

    test.each([undefined, 'A', '😺'.repeat(255), `'"; --`, ' x '])(
      'an order for %p is stored unchanged, and makes its animal pending',
      async (adopter) => {
        const petId = await addPet();
        const order = await place(petId, adopter);
        const times = { placedAt: CHANGE_STAMP.at, updatedAt: CHANGE_STAMP.at };
        const none = {
          contact: undefined,
          note: undefined,
          returnReason: undefined,
          answers: undefined,
          ...{ returnedAt: undefined, approvedAt: undefined },
          ...{ completedAt: undefined, cancelledAt: undefined },
        };
        expect(order).toEqual({ id: 1n, petId, adopter, ...none, status: 'placed', ...times });
        await subject.reopen();
        expect(await subject.storage.orders.find(1n)).toEqual(order);
        expect(await petStatus(petId)).toBe('pending');
      },
    );

    test('the contact and the note are stored unchanged, to the last byte', async () => {
      const pii = { adopter: 'A', contact: `'"; -- 😺`, note: ' a\r\n\tb\n'.repeat(200) };
      const order = await subject.storage.orders.place({ petId: await addPet(), ...pii }, at(0));
      expect(order).toMatchObject(pii);
      await subject.reopen();
      expect(await subject.storage.orders.find(order.id)).toEqual(order);
      const page = await subject.storage.orders.list({}, { afterId: undefined, limit: 1 });
      expect(page.items).toEqual([order]);
      const changed = await change(order.id, { contact: 'c', note: '😺'.repeat(2_000) });
      expect(changed).toMatchObject({ adopter: 'A', contact: 'c', note: '😺'.repeat(2_000) });
      expect(await subject.storage.orders.find(order.id)).toEqual(changed);
    });

    test('an order for an unknown animal is refused', async () => {
      for (const petId of [1n, 0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
        await expect(place(petId)).rejects.toMatchObject({ code: 'pet_not_found' });
      }
      expect(await list()).toEqual([[], false]);
    });

    test.each(['pending', 'sold'] as const)(
      'an order for a %s animal is refused',
      async (status) => {
        const { id } = await subject.storage.pets.create(animal({ status }), CHANGE_STAMP);
        await expect(place(id)).rejects.toMatchObject({ code: 'conflict' });
        expect(await petStatus(id)).toBe(status);
        expect(await list()).toEqual([[], false]);
      },
    );

    test.each(MOVES)('a move from %s to %s', async (from, to) => {
      const petId = await addPet();
      const { id } = await place(petId, 'A');
      for (const step of STEPS_TO[from]) await change(id, { status: step }, 1);
      const before = await subject.storage.orders.find(id);
      const petBefore = await petStatus(petId);
      const petAfter = ALLOWED[from][to];
      if (from === to) {
        expect(await change(id, { status: to })).toEqual(before);
        expect(await petStatus(petId)).toBe(petBefore);
      } else if (petAfter === undefined) {
        await expect(change(id, { status: to })).rejects.toMatchObject({ code: 'conflict' });
        expect(await petStatus(petId)).toBe(petBefore);
        expect(await subject.storage.orders.find(id)).toEqual(before);
      } else {
        const time = CHANGE_STAMP.at + 5;
        const after = { ...before, status: to, [`${to}At`]: time, updatedAt: time };
        expect(await change(id, { status: to })).toMatchObject(after);
        expect(await subject.storage.orders.find(id)).toMatchObject(after);
        expect(await petStatus(petId)).toMatch(petAfter);
      }
    });

    test.each(ORDER_STATUSES)(
      'the adopter of a %s order can be changed only while it is open',
      async (status) => {
        const { id } = await place(await addPet(), 'A');
        for (const step of STEPS_TO[status]) await change(id, { status: step }, 1);
        const before = await subject.storage.orders.find(id);
        expect(await change(id, { adopter: 'A' })).toEqual(before);
        if (status === 'placed' || status === 'approved') {
          expect(await change(id, { adopter: 'B' })).toMatchObject({
            adopter: 'B',
            status,
            updatedAt: CHANGE_STAMP.at + 5,
          });
        } else {
          await expect(change(id, { adopter: 'B' })).rejects.toMatchObject({ code: 'conflict' });
          expect(await subject.storage.orders.find(id)).toEqual(before);
        }
      },
    );

    test.each(ORDER_STATUSES)('the PII of a %s order can be erased', async (status) => {
      const petId = await addPet();
      const pii = { adopter: 'A', contact: 'B', note: 'C' };
      const { id } = await subject.storage.orders.place({ petId, ...pii }, at(0));
      for (const step of STEPS_TO[status]) await change(id, { status: step }, 1);
      // By now, somebody else may have ordered the animal.
      if (status === 'cancelled') await place(petId);
      const petBefore = await petStatus(petId);
      expect(await change(id, { contact: null })).toMatchObject({
        adopter: 'A',
        contact: undefined,
        note: 'C',
        status,
        updatedAt: CHANGE_STAMP.at + 5,
      });
      await change(id, { adopter: null, note: null }, 6);
      const erased = { adopter: undefined, contact: undefined, note: undefined };
      const after = await subject.storage.orders.find(id);
      expect(after).toMatchObject({ ...erased, status, updatedAt: CHANGE_STAMP.at + 6 });
      const again = { adopter: null, contact: null, note: null };
      expect(await change(id, again, 7)).toEqual(after);
      expect(await petStatus(petId)).toBe(petBefore);
    });

    test('a closed order does not change its animal, which may be ordered again', async () => {
      const petId = await addPet();
      await place(petId);
      await change(1n, { status: 'cancelled' });
      await place(petId);
      await change(1n, { status: 'cancelled' });
      expect(await petStatus(petId)).toBe('pending');
      expect(await list({ petId })).toEqual([[1, 2], false]);
    });

    test('reading or changing an unknown order returns undefined', async () => {
      for (const id of [1n, 0n, -1n, 2n ** 63n - 1n]) {
        expect(await subject.storage.orders.find(id)).toBeUndefined();
        expect(await change(id, { status: 'approved' })).toBeUndefined();
      }
    });

    test('a precondition gets the current order and can refuse the change', async () => {
      const petId = await addPet();
      const order = await place(petId);
      const seen: unknown[] = [];
      const refuse = async () =>
        await subject.storage.orders.update(1n, { status: 'cancelled' }, at(9), (current) => {
          seen.push(current);
          throw new RangeError('forbidden');
        });
      await expect(refuse()).rejects.toThrow('forbidden');
      expect(seen).toEqual([order]);
      expect(await subject.storage.orders.find(1n)).toEqual(order);
      expect(await petStatus(petId)).toBe('pending');
    });

    test('lists by status and by animal, page by page', async () => {
      for (let i = 0; i < 6; i++) await place(await addPet());
      for (const id of [2n, 4n, 5n]) await change(id, { status: 'approved' });
      await change(4n, { status: 'completed' });
      expect(await list()).toEqual([[1, 2, 3, 4, 5, 6], false]);
      expect(await list({}, undefined, 6)).toEqual([[1, 2, 3, 4, 5, 6], false]);
      expect(await list({}, undefined, 5)).toEqual([[1, 2, 3, 4, 5], true]);
      expect(await list({}, 5n, 5)).toEqual([[6], false]);
      expect(await list({ status: ['approved'] })).toEqual([[2, 5], false]);
      expect(await list({ status: ['approved'] }, undefined, 1)).toEqual([[2], true]);
      expect(await list({ status: ['approved'] }, 2n, 1)).toEqual([[5], false]);
      expect(await list({ status: ['completed'], petId: 4n })).toEqual([[4], false]);
      expect(await list({ status: ['placed'], petId: 4n })).toEqual([[], false]);
      expect(await list({ petId: -(2n ** 63n) })).toEqual([[], false]);
      expect(await list({}, 2n ** 63n - 1n)).toEqual([[], false]);
      expect(await list({ sort: 'oldest' })).toEqual(await list());
      expect(await list({ sort: 'newest' })).toEqual([[6, 5, 4, 3, 2, 1], false]);
      expect(await list({ sort: 'newest' }, undefined, 4)).toEqual([[6, 5, 4, 3], true]);
      expect(await list({ sort: 'newest' }, 3n, 2)).toEqual([[2, 1], false]);
      expect(await list({ sort: 'newest' }, 1n)).toEqual([[], false]);
      expect(await list({ sort: 'newest', status: ['approved'] }, undefined, 1)).toEqual([
        [5],
        true,
      ]);
      expect(await list({ sort: 'newest', status: ['approved'] }, 5n, 1)).toEqual([[2], false]);
    });

    test('of concurrent orders for one animal, only one is placed, even across processes', async () => {
      await using other = await subject.another();
      for (let round = 0; round < 5; round++) {
        const petId = await addPet();
        const placing = [subject.storage, other.storage, subject.storage].map(
          async ({ orders }) => await orders.place({ petId, adopter: undefined }, CHANGE_STAMP),
        );
        const outcomes = await Promise.allSettled(placing);
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect((await list({ petId }))[0]).toHaveLength(1);
      }
    });

    test('ids are not reused after a reset', async () => {
      await place(await addPet());
      await subject.storage.reset(CHANGE_STAMP);
      expect(await list()).toEqual([[], false]);
      expect((await place(await addPet())).id).toBe(2n);
    });
  });
});
