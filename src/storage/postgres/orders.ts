import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import {
  changedOrder,
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderQuery,
  type OrderStorage,
  PET_STATUS_UNDER,
  requireAvailable,
} from '../../domain/order.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import { ORDER_COLUMNS, type OrderRow, orderOf, personalCells } from '../rows/order.ts';
import { noting, stampValues } from './change-notes.ts';
import { conditionsAfter, conditionsBefore } from './conditions.ts';
import type { Session } from './connection.ts';
import { lockPet, setStatus } from './pet-rows.ts';
import type { Access } from './writer.ts';

/** Orders in PostgreSQL. */
export function createOrderStorage({ read, write }: Access): OrderStorage {
  return {
    list: (filter, page) => read((session) => list(session, filter, page)),
    find: (id) => read((session) => find(session, id)),
    place: (order, stamp) => write((session) => place(session, order, stamp)),
    update: (id, change, stamp, precondition) =>
      write((session) => update(session, id, change, stamp, precondition)),
  };
}

async function list(session: Session, filter: OrderQuery, page: PageRequest): Promise<Page<Order>> {
  const isDescending = filter.sort === 'newest';
  const conditions = isDescending ? conditionsBefore(page.afterId) : conditionsAfter(page.afterId);
  if (filter.status !== undefined) conditions.add('status = ?', filter.status);
  if (filter.petId !== undefined) conditions.add('pet_id = ?', filter.petId);
  const { where, values, next } = conditions;
  const rows = await session.query<OrderRow>(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE ${where} ORDER BY id ${isDescending ? 'DESC' : ''} LIMIT ${next}`,
    ...values,
    page.limit + 1,
  );
  return pageOf(rows.map(orderOf), page.limit);
}

async function find(session: Session, id: bigint, lock = ''): Promise<Order | undefined> {
  const text = `SELECT ${ORDER_COLUMNS} FROM orders WHERE id = $1 ${lock}`;
  const [row] = await session.query<OrderRow>(text, id);
  return row === undefined ? undefined : orderOf(row);
}

async function place(session: Session, order: NewOrder, stamp: ChangeStamp): Promise<Order> {
  const { petId } = order;
  // Of two who want one animal, the second waits here and then sees what the first made of it.
  requireAvailable(await lockPet(session, petId), petId);
  const [row] = await session.query<OrderRow>(
    noting(
      'order.placed',
      4,
      `INSERT INTO orders (pet_id, adopter, contact, note, status, placed_at, updated_at)
       VALUES ($1, $2, $3, $4, 'placed', $5, $5) RETURNING ${ORDER_COLUMNS}`,
    ),
    petId,
    ...personalCells(order),
    ...stampValues(stamp),
  );
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  await setStatus(session, petId, PET_STATUS_UNDER.placed, stamp);
  return orderOf(row);
}

async function update(
  session: Session,
  id: bigint,
  change: OrderChange,
  stamp: ChangeStamp,
  precondition: Precondition<Order>,
): Promise<Order | undefined> {
  const order = await find(session, id, 'FOR UPDATE');
  if (order === undefined) return undefined;
  precondition(order);
  const changed = changedOrder(order, change, stamp.at);
  if (changed === order) return order;
  await session.run(
    noting(
      'order.updated',
      6,
      `UPDATE orders SET adopter = $1, contact = $2, note = $3, status = $4, updated_at = $5
       WHERE id = $6 RETURNING ${ORDER_COLUMNS}`,
    ),
    ...personalCells(changed),
    changed.status,
    BigInt(changed.updatedAt),
    id,
    ...stampValues(stamp),
  );
  // Another order may hold the animal of a closed one by now.
  if (changed.status !== order.status) {
    await setStatus(session, order.petId, PET_STATUS_UNDER[changed.status], stamp);
  }
  return changed;
}
