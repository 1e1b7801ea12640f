import type { Database } from 'bun:sqlite';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import {
  changedOrder,
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderQuery,
  type OrderStatus,
  type OrderStorage,
  PET_STATUS_UNDER,
  requireAvailable,
} from '../../domain/order.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import {
  ORDER_COLUMNS,
  type OrderRow,
  orderOf,
  type PersonalCells,
  personalCells,
} from '../rows/order.ts';
import type { Access } from './access.ts';
import type { NoteChange } from './change-writer.ts';
import { insertedRow } from './connection.ts';
import type { PetRows } from './pet-rows.ts';

/** Orders in SQLite. */
export function createOrderStorage(
  database: Database,
  pets: PetRows,
  noteChange: NoteChange,
  { read, write }: Access,
): OrderStorage {
  const byId = database.query<OrderRow, [bigint]>(
    `SELECT ${ORDER_COLUMNS} FROM orders WHERE id = ?`,
  );
  const insert = database.query<OrderRow, [bigint, ...PersonalCells, number, number]>(
    `INSERT INTO orders (pet_id, adopter, contact, note, status, placed_at, updated_at)
     VALUES (?, ?, ?, ?, 'placed', ?, ?) RETURNING ${ORDER_COLUMNS}`,
  );
  const save = database.query<null, [...PersonalCells, OrderStatus, number, bigint]>(
    `UPDATE orders SET adopter = ?, contact = ?, note = ?, status = ?, updated_at = ?
     WHERE id = ?`,
  );

  function list(filter: OrderQuery, page: PageRequest): Page<Order> {
    const isDescending = filter.sort === 'newest';
    const conditions = [isDescending ? 'id < ?' : 'id > ?'];
    const values: (bigint | string | number)[] = [page.afterId ?? (isDescending ? INT64_MAX : 0n)];
    if (filter.status !== undefined) {
      conditions.push('status = ?');
      values.push(filter.status);
    }
    if (filter.petId !== undefined) {
      conditions.push('pet_id = ?');
      values.push(filter.petId);
    }
    const sql = `SELECT ${ORDER_COLUMNS} FROM orders WHERE ${conditions.join(' AND ')} ORDER BY id ${isDescending ? 'DESC' : ''} LIMIT ?`;
    const rows = database.query<OrderRow, (bigint | string | number)[]>(sql);
    return pageOf(rows.all(...values, page.limit + 1).map(orderOf), page.limit);
  }

  function find(id: bigint): Order | undefined {
    const row = byId.get(id);
    return row === null ? undefined : orderOf(row);
  }

  function place(order: NewOrder, stamp: ChangeStamp): Order {
    const { petId } = order;
    requireAvailable(pets.find(petId), petId);
    const row = insertedRow(insert, petId, ...personalCells(order), stamp.at, stamp.at);
    const placed = orderOf(row);
    noteChange({ type: 'order.placed', order: placed }, stamp);
    pets.setStatus(petId, PET_STATUS_UNDER.placed, stamp);
    return placed;
  }

  function update(
    id: bigint,
    change: OrderChange,
    stamp: ChangeStamp,
    precondition: Precondition<Order>,
  ): Order | undefined {
    const order = find(id);
    if (order === undefined) return undefined;
    precondition(order);
    const changed = changedOrder(order, change, stamp.at);
    if (changed === order) return order;
    save.run(...personalCells(changed), changed.status, changed.updatedAt, id);
    noteChange({ type: 'order.updated', order: changed }, stamp);
    // Another order may hold the animal of a closed one by now.
    if (changed.status !== order.status) {
      pets.setStatus(order.petId, PET_STATUS_UNDER[changed.status], stamp);
    }
    return changed;
  }

  return {
    list: (filter, page) => read(() => list(filter, page)),
    find: (id) => read(() => find(id)),
    place: (order, stamp) => write(() => place(order, stamp)),
    update: (id, change, stamp, precondition) =>
      write(() => update(id, change, stamp, precondition)),
  };
}
