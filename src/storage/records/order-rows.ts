import { changedFields } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import {
  changedOrder,
  isOpen,
  type Order,
  type OrderStatus,
  PERSONAL_FIELDS,
  type Personal,
} from '../../domain/order.ts';
import type { Value } from '../fields.ts';
import { forUpdate, sql, type Work } from '../statements.ts';
import { noted } from './notes.ts';
import { ORDER } from './order-search.ts';
import { ORDER_IS_OPEN } from './pet-rows.ts';

/** The values of the personal columns, in the order of `ORDER`. */
export function personalValues(personal: Partial<Personal>): Value[] {
  return PERSONAL_FIELDS.map((field) => personal[field] ?? null);
}

type Shown = Pick<Order, 'petId' | 'status'> & Partial<Personal>;

/** What the audit shows of a change of an order. */
export function changedOrderFields(before: Shown | undefined, after: Shown) {
  const shown = ({ petId, status, adopter, contact, note, returnReason, answers }: Shown) => ({
    ...{ petId, status, adopter, contact, note, returnReason, answers },
  });
  return changedFields(before && shown(before), shown(after), PERSONAL_FIELDS);
}

export const LOCKED_ORDER = sql`SELECT ${ORDER.columns} FROM orders WHERE id = $1 ${forUpdate}`.as(
  ORDER,
);
const OPEN_ORDER = sql`SELECT ${ORDER.columns} FROM orders
    WHERE pet_id = $1 AND ${ORDER_IS_OPEN} ${forUpdate}`.as(ORDER);
const SAVE =
  sql`UPDATE orders SET adopter = $2, contact = $3, note = $4, return_reason = $5, answers = $6, status = $7,
      updated_at = $8, returned_at = $9, approved_at = $10, completed_at = $11, cancelled_at = $12
    WHERE id = $1 RETURNING ${ORDER.columns}`.as(ORDER);

/** The change that erases who adopts. */
export const NOBODY: Readonly<Record<keyof Personal, null>> = {
  ...{ adopter: null, contact: null, note: null, returnReason: null, answers: null },
};
const IS_ERASED_AT_END =
  sql`SELECT 1 AS n FROM orders WHERE id = $1 AND erased_at_end = 1`.as<object>();

/** Saves a locked order. If it ends after its enquiry was erased, its personal fields are erased too. */
export function* saveOrder(order: Order, wanted: Order, stamp: ChangeStamp): Work<Order> {
  const ends = isOpen(order.status) && !isOpen(wanted.status);
  const forgets = ends && (yield* IS_ERASED_AT_END.one(order.id)) !== undefined;
  const changed = forgets ? changedOrder(wanted, NOBODY, stamp.at) : wanted;
  const { status, updatedAt, returnedAt, approvedAt, completedAt, cancelledAt } = changed;
  const times = [updatedAt, returnedAt, approvedAt, completedAt, cancelledAt];
  const values = [order.id, ...personalValues(changed), status, ...times.map((at) => at ?? null)];
  const fields = changedOrderFields(order, changed);
  return yield* noted('order.updated', stamp, fields, SAVE, ...values);
}

/** Ends the open order of a locked animal that leaves, if there is one, however far it got. */
export function* settleOrder(
  petId: bigint,
  status: Extract<OrderStatus, 'completed' | 'cancelled'>,
  stamp: ChangeStamp,
): Work<void> {
  const order = yield* OPEN_ORDER.one(petId);
  if (order === undefined) return;
  const approved = status === 'completed' ? { ...order, status: 'approved' as const } : order;
  yield* saveOrder(order, changedOrder(approved, { status }, stamp.at), stamp);
}
