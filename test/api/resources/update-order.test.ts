import { describe, expect, test } from 'bun:test';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/domain/order.ts';
import { numbered } from '../../storage/change-recorder.ts';
import { idOf } from '../../support/animals.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

/** The moves that lead to each status. */
const WAY: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: [],
  approved: ['approved'],
  completed: ['approved', 'completed'],
  cancelled: ['cancelled'],
};
/** The animal's status under each order status. */
const PET_UNDER = {
  placed: 'pending',
  approved: 'pending',
  completed: 'sold',
  cancelled: 'available',
} as const;
const LEGAL: readonly (readonly [OrderStatus, OrderStatus])[] = [
  ['placed', 'approved'],
  ['placed', 'cancelled'],
  ['approved', 'completed'],
  ['approved', 'cancelled'],
];
/** Every other pair of two statuses, with the statuses allowed instead. */
const REFUSALS = {
  placed: (to: string) => `can become approved or cancelled, not ${to}`,
  approved: (to: string) => `can become completed or cancelled, not ${to}`,
  completed: (to: string) => `cannot become ${to}`,
  cancelled: (to: string) => `cannot become ${to}`,
} as const;
const ILLEGAL = ORDER_STATUSES.flatMap((from) =>
  ORDER_STATUSES.filter(
    (to) => from !== to && !LEGAL.some(([one, other]) => one === from && other === to),
  ).map((to) => [from, to] as const),
);

describe('PATCH /v1/store/orders/{orderId} (updateOrder)', () => {
  const petstore = forAllTests(() => startPetstore());

  const patch = (id: bigint | string, body: unknown) =>
    petstore.writer.patch(`/v1/store/orders/${id}`, body);
  const get = async (id: bigint) => (await petstore.writer.get(`/v1/store/orders/${id}`)).text;
  const petStatus = async (id: number) =>
    JSON.parse((await petstore.reader.get(`/v1/pets/${id}`)).text).status;

  /** An order with the given status, placed some time ago, and its animal. */
  async function orderThatIs(status: OrderStatus, sent: object = { adopter: 'A' }) {
    const pet = await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    const petId = Number(idOf(pet));
    const placed = await petstore.writer.post('/v1/store/orders', { petId, ...sent });
    const id = idOf(placed);
    petstore.clock.advance(60_000);
    let last: ClientResponse = placed;
    for (const step of WAY[status]) last = await patch(id, { status: step });
    petstore.clock.advance(60_000);
    return { id, petId, before: last.text };
  }
  /** The text of an order with another status or adopter, changed now. */
  function changed(text: string, members: { status?: string; adopter?: string }): string {
    const now = new Date(petstore.clock.now()).toISOString();
    const { updatedAt: _, ...before } = JSON.parse(text);
    const step = members.status && { [`${members.status}At`]: now };
    return JSON.stringify({ ...before, ...members, ...step, updatedAt: now });
  }

  describe('200', () => {
    test.each(LEGAL)('moves it from %s to %s, and the animal with it', async (from, to) => {
      const { id, petId, before } = await orderThatIs(from);
      const response = await patch(id, { status: to });
      expect(response.status).toBe(200);
      expect(response.text).toBe(changed(before, { status: to }));
      expect(await get(id)).toBe(response.text);
      expect(await petStatus(petId)).toBe(PET_UNDER[to]);
    });

    test.each(ORDER_STATUSES)('to %s, its current status, changes nothing', async (status) => {
      const { id, petId, before } = await orderThatIs(status);
      const read = async () => {
        await numbered(petstore.storage.changes);
        return (await petstore.reader.get(`/v1/pets/${petId}/history`)).text;
      };
      const history = await read();
      const response = await patch(id, { status });
      expect([response.status, response.text]).toEqual([200, before]);
      expect(await get(id)).toBe(before);
      expect(await read()).toBe(history);
    });

    test('to its current status does not touch an animal that another order holds', async () => {
      const { id, petId } = await orderThatIs('cancelled');
      await petstore.writer.post('/v1/store/orders', { petId });
      expect((await patch(id, { status: 'cancelled' })).status).toBe(200);
      expect(await petStatus(petId)).toBe('pending');
    });

    test.each(['placed', 'approved'] as const)(
      'changes the adopter while it is %s, and nothing of the animal',
      async (status) => {
        const { id, petId, before } = await orderThatIs(status);
        const response = await patch(id, { adopter: 'B 😺' });
        expect(response.text).toBe(changed(before, { adopter: 'B 😺' }));
        expect(await get(id)).toBe(response.text);
        expect(await petStatus(petId)).toBe('pending');
      },
    );

    test('gives an adopter to an order that had none', async () => {
      const { id } = await orderThatIs('placed', {});
      const { text } = await patch(id, { adopter: 'B' });
      expect(JSON.parse(text).adopter).toBe('B');
    });

    test('moves it and changes the adopter at once', async () => {
      const { id, before } = await orderThatIs('approved');
      const change = { adopter: 'B', status: 'completed' };
      expect((await patch(id, change)).text).toBe(changed(before, change));
    });

    test.each(ORDER_STATUSES)('to its current adopter, while it is %s', async (status) => {
      const { id, before } = await orderThatIs(status);
      expect((await patch(id, { adopter: 'A' })).text).toBe(before);
      expect((await patch(id, { adopter: 'A', status })).text).toBe(before);
    });

    test('ignores read-only members: the animal and the times', async () => {
      const { id, before } = await orderThatIs('placed');
      const response = await patch(id, { id: 1, petId: 1, placedAt: 'x', updatedAt: null });
      expect([response.status, response.text]).toEqual([200, before]);
    });
  });

  test.each([
    ['status', '{"status":"gone"}', 'must be one of placed, approved, completed, cancelled'],
    ['status', '{"status":"Approved"}', 'must be one of placed'],
    ['adopter', '{"adopter":""}', 'must not be empty'],
    ['adopter', `{"adopter":"${'x'.repeat(256)}"}`, 'must have at most 255 characters'],
  ])('400 invalid_body for the field %s in %s', async (field, body, problem) => {
    const { id, before } = await orderThatIs('placed');
    const message = expectError(await patch(id, body), 'invalid_body');
    expect(message).toStartWith(`${field} ${problem}`);
    expect(await get(id)).toBe(before);
  });

  describe('409 conflict', () => {
    test.each(ILLEGAL)('from %s to %s', async (from, to) => {
      const { id, petId, before } = await orderThatIs(from);
      const message = expectError(await patch(id, { status: to, adopter: 'B' }), 'conflict');
      expect(message).toBe(`Order ${id} is ${from} and ${REFUSALS[from](to)}.`);
      expect(await get(id)).toBe(before);
      expect(await petStatus(petId)).toBe(PET_UNDER[from]);
    });

    test.each(['completed', 'cancelled'] as const)(
      'for another adopter once it is %s',
      async (status) => {
        const { id, before } = await orderThatIs(status);
        for (const change of [{ adopter: 'B' }, { adopter: 'B', status }]) {
          const message = expectError(await patch(id, change), 'conflict');
          expect(message).toBe(
            `Order ${id} is ${status}: its adopter, contact and note can only be erased, with null.`,
          );
        }
        expect(await get(id)).toBe(before);
      },
    );
  });

  test('every pair of statuses is legal, illegal or the same', () => {
    expect([LEGAL.length, ILLEGAL.length]).toEqual([4, 8]);
  });
});
