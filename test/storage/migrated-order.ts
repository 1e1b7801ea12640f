import { expect } from 'bun:test';
import type { OrderStorage } from '../../src/domain/order.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { anyState } from './subject.ts';

/** Inserts an order as earlier releases did, with only an adopter. */
export const OLD_ORDER = `INSERT INTO orders (pet_id, adopter, status, placed_at, updated_at)
  VALUES (1, 'Zoë', 'completed', 10, 20)`;

/** Expects the migrated `OLD_ORDER`, the first order of its database. */
export async function expectMigratedOrder(orders: OrderStorage): Promise<void> {
  const order = {
    id: 1n,
    petId: 1n,
    status: 'completed',
    placedAt: 10,
    // The log does not say when, so it is when it last changed.
    approvedAt: undefined,
    completedAt: 20,
    cancelledAt: undefined,
  } as const;
  const nobody = {
    ...{ adopter: undefined, contact: undefined, note: undefined },
    ...{ returnReason: undefined, returnedAt: undefined, answers: undefined },
  };
  expect(await orders.find(1n)).toEqual({ ...order, ...nobody, adopter: 'Zoë', updatedAt: 20 });
  const erased = await orders.update(1n, { adopter: null }, CHANGE_STAMP, anyState);
  expect(erased).toEqual({ ...order, ...nobody, updatedAt: CHANGE_STAMP.at });
}
