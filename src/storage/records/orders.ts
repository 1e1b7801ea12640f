import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import {
  availablePet,
  changedOrder,
  isOpen,
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderStatus,
  type OrderStorage,
  PET_STATUS_UNDER,
  requireCompletion,
} from '../../domain/order.ts';
import type { Pet } from '../../domain/pet.ts';
import { listed } from '../lists.ts';
import {
  all,
  isTextIn,
  one,
  onPostgres,
  run,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import {
  changedOrderFields,
  LOCKED_ORDER,
  NOBODY,
  orders,
  personalValues,
  saveOrder,
} from './order-rows.ts';
import { isSearch, ORDER, searchOrders } from './order-search.ts';
import { LOCKED_PET, type RecordWrites } from './pets.ts';

const LIST = orders(sql`SELECT ${ORDER.columns} FROM orders`);
const BY_ID = orders(sql`SELECT ${ORDER.columns} FROM orders WHERE id = $1`);
const INSERT = orders(
  sql`INSERT INTO orders (pet_id, adopter, contact, note, return_reason, answers, status, placed_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'placed', $7, $7) RETURNING ${ORDER.columns}`,
);
/** SQLite would read every finished order. */
const byIndex: Sql = { sqlite: 'INDEXED BY orders_to_erase', postgres: '' };
/** Those that still say who adopted. The condition is that of an index. */
const TO_ERASE = orders(
  sql`SELECT ${ORDER.columns} FROM orders ${byIndex}
    WHERE status IN ('completed', 'cancelled') AND coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL
      AND updated_at <= $1
    ORDER BY updated_at LIMIT $2 ${onPostgres('FOR UPDATE SKIP LOCKED')}`,
);
const ERASE_AT_END = sql`UPDATE orders SET erased_at_end = 1 WHERE id = $1`;

function* setStatus(
  { saveAll }: Pick<RecordWrites, 'saveAll'>,
  pet: Pet,
  status: OrderStatus,
  stamp: ChangeStamp,
  completedOn?: string,
): Work<void> {
  const next = { ...pet, status: PET_STATUS_UNDER[status] };
  if (next.status === pet.status) return;
  yield* saveAll([{ before: pet, pet: next, leftOn: completedOn, isAdoption: true }], stamp);
}

/** Places an order. Throws what `availablePet` throws. */
export function* placeOrder(
  writes: Pick<RecordWrites, 'noted' | 'saveAll'>,
  order: NewOrder,
  stamp: ChangeStamp,
): Work<Order> {
  const { petId } = order;
  // Of two who want one animal, the second waits here and then sees what the first made of it.
  const pet = availablePet(yield* one(LOCKED_PET, petId), petId);
  const values = [petId, ...personalValues(order), stamp.at];
  const changed = changedOrderFields(undefined, { ...order, status: 'placed' });
  const placed = yield* writes.noted('order.placed', stamp, changed, INSERT, ...values);
  yield* setStatus(writes, pet, placed.status, stamp);
  return placed;
}

/** Erases who adopts in an order whose enquiry was erased: at its end, if it is open. */
export function* eraseAdopter(
  writes: Pick<RecordWrites, 'noted'>,
  id: bigint,
  stamp: ChangeStamp,
): Work<void> {
  const order = yield* one(LOCKED_ORDER, id);
  if (order === undefined) return;
  if (isOpen(order.status)) return yield* run(ERASE_AT_END, id);
  const changed = changedOrder(order, NOBODY, stamp.at);
  if (changed !== order) yield* saveOrder(writes, order, changed, stamp);
}

/** Orders. */
export function createOrderStorage(
  { read, search, write }: Transactions,
  writes: RecordWrites,
): OrderStorage {
  function* eraseFinished(time: number, most: number, stamp: ChangeStamp): Work<number> {
    const finished = yield* all(TO_ERASE, time, most);
    for (const order of finished) {
      yield* saveOrder(writes, order, changedOrder(order, NOBODY, stamp.at), stamp);
    }
    return finished.length;
  }

  function* update(
    id: bigint,
    change: OrderChange,
    stamp: ChangeStamp,
    precondition: Precondition<Order>,
  ): Work<Order | undefined> {
    const order = yield* one(LOCKED_ORDER, id);
    if (order === undefined) return undefined;
    precondition(order);
    requireCompletion(order, change, stamp.at);
    const changed = changedOrder(order, change, stamp.at);
    if (changed === order) return order;
    const saved = yield* saveOrder(writes, order, changed, stamp);
    // Another order may hold the animal of a closed one by now.
    if (changed.status !== order.status) {
      const pet = yield* one(LOCKED_PET, order.petId);
      if (pet !== undefined)
        yield* setStatus(writes, pet, changed.status, stamp, change.completedOn);
    }
    return saved;
  }

  return {
    list(wanted, page) {
      if (isSearch(wanted)) return search(() => searchOrders(wanted, page));
      const { status, petId, sort } = wanted;
      return read(() =>
        listed(LIST, { ...page, isDescending: sort === 'newest' }, [
          [(parameter) => sql`status ${isTextIn(parameter)}`, status && JSON.stringify(status)],
          [(parameter) => sql`pet_id = ${parameter}`, petId],
        ]),
      );
    },
    find: (id) => read(() => one(BY_ID, id)),
    place: (order, stamp) => write(() => placeOrder(writes, order, stamp)),
    update: (id, change, stamp, precondition) =>
      write(() => update(id, change, stamp, precondition)),
    eraseFinished: (time, most, stamp) => write(() => eraseFinished(time, most, stamp)),
  };
}
