import { changedFields } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import {
  changedOrder,
  type Order,
  type OrderStatus,
  PERSONAL_FIELDS,
  type Personal,
} from '../../domain/order.ts';
import type { Value } from '../fields.ts';
import { forUpdate, one, query, type Sql, sql, type Work } from '../statements.ts';
import { ORDER } from './order-search.ts';
import { ORDER_IS_OPEN, type RecordWrites } from './pets.ts';

/** The values of the personal columns, in the order of `ORDER`. */
export function personalValues(personal: Partial<Personal>): Value[] {
  return PERSONAL_FIELDS.map((field) => personal[field] ?? null);
}

type Shown = Pick<Order, 'petId' | 'status'> & Partial<Personal>;

/** What the audit shows of a change of an order. */
export function changedOrderFields(before: Shown | undefined, after: Shown) {
  const shown = ({ petId, status, adopter, contact, note, returnReason }: Shown) => ({
    ...{ petId, status, adopter, contact, note, returnReason },
  });
  return changedFields(before && shown(before), shown(after), PERSONAL_FIELDS);
}

export const orders = (text: Sql) => query<object, Order>(ORDER.of, text);

export const LOCKED_ORDER = orders(
  sql`SELECT ${ORDER.columns} FROM orders WHERE id = $1 ${forUpdate}`,
);
const OPEN_ORDER = orders(
  sql`SELECT ${ORDER.columns} FROM orders WHERE pet_id = $1 AND ${ORDER_IS_OPEN} ${forUpdate}`,
);
const SAVE = orders(
  sql`UPDATE orders SET adopter = $2, contact = $3, note = $4, return_reason = $5, status = $6,
      updated_at = $7, returned_at = $8, approved_at = $9, completed_at = $10, cancelled_at = $11
    WHERE id = $1 RETURNING ${ORDER.columns}`,
);

/** Saves a locked order. */
export function saveOrder(
  { noted }: Pick<RecordWrites, 'noted'>,
  order: Order,
  changed: Order,
  stamp: ChangeStamp,
): Work<Order> {
  const { status, updatedAt, returnedAt, approvedAt, completedAt, cancelledAt } = changed;
  const times = [updatedAt, returnedAt, approvedAt, completedAt, cancelledAt];
  const values = [order.id, ...personalValues(changed), status, ...times.map((at) => at ?? null)];
  const fields = changedOrderFields(order, changed);
  return noted('order.updated', stamp, fields, SAVE, ...values);
}

/** Ends the open order of a locked animal that leaves, if there is one, however far it got. */
export function* settleOrder(
  writes: Pick<RecordWrites, 'noted'>,
  petId: bigint,
  status: Extract<OrderStatus, 'completed' | 'cancelled'>,
  stamp: ChangeStamp,
): Work<void> {
  const order = yield* one(OPEN_ORDER, petId);
  if (order === undefined) return;
  const approved = status === 'completed' ? { ...order, status: 'approved' as const } : order;
  yield* saveOrder(writes, order, changedOrder(approved, { status }, stamp.at), stamp);
}
