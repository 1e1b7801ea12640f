import type { ChangeStamp } from '../../domain/change-stamp.ts';
import {
  availablePet,
  changedOrder,
  isOpen,
  type NewOrder,
  type Order,
  type OrderStatus,
  type OrderStorage,
  PET_STATUS_UNDER,
  requireCompletion,
} from '../../domain/order.ts';
import type { Pet } from '../../domain/pet.ts';
import { skipLocked } from '../chosen-rows.ts';
import { listed } from '../lists.ts';
import { isTextIn, methodsOf, type Sql, sql, type Transactions, type Work } from '../statements.ts';
import { savePets } from './followed-stays.ts';
import { noted } from './notes.ts';
import {
  changedOrderFields,
  LOCKED_ORDER,
  NOBODY,
  personalValues,
  saveOrder,
} from './order-rows.ts';
import { isSearch, ORDER, searchOrders } from './order-search.ts';
import { LOCKED_PET } from './pet-rows.ts';

const LIST = sql`SELECT ${ORDER.columns} FROM orders`.as(ORDER);
const BY_ID = sql`SELECT ${ORDER.columns} FROM orders WHERE id = $1`.as(ORDER);
const INSERT =
  sql`INSERT INTO orders (pet_id, adopter, contact, note, return_reason, answers, status, placed_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'placed', $7, $7) RETURNING ${ORDER.columns}`.as(ORDER);
/** Otherwise SQLite would read every finished order. */
const byIndex: Sql = { sqlite: 'INDEXED BY orders_to_erase', postgres: '' };
/** Finished orders that still have personal fields. The condition is that of an index. */
const TO_ERASE = sql`SELECT ${ORDER.columns} FROM orders ${byIndex}
    WHERE status IN ('completed', 'cancelled') AND coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL
      AND updated_at <= $1
    ORDER BY updated_at LIMIT $2 ${skipLocked}`.as(ORDER);
const ERASE_AT_END = sql`UPDATE orders SET erased_at_end = 1 WHERE id = $1`;

function* setStatus(
  pet: Pet,
  status: OrderStatus,
  stamp: ChangeStamp,
  completedOn?: string,
): Work<void> {
  const next = { ...pet, status: PET_STATUS_UNDER[status] };
  if (next.status === pet.status) return;
  yield* savePets([{ before: pet, pet: next, leftOn: completedOn, isAdoption: true }], stamp);
}

/** Places an order. Throws what `availablePet` throws. */
export function* placeOrder(order: NewOrder, stamp: ChangeStamp): Work<Order> {
  const { petId } = order;
  // Of two who want one animal, the second waits here and then sees what the first made of it.
  const pet = availablePet(yield* LOCKED_PET.one(petId), petId);
  const values = [petId, ...personalValues(order), stamp.at];
  const changed = changedOrderFields(undefined, { ...order, status: 'placed' });
  const placed = yield* noted('order.placed', stamp, changed, INSERT, ...values);
  yield* setStatus(pet, placed.status, stamp);
  return placed;
}

/** Erases who adopts in an order whose enquiry was erased: at its end, if it is open. */
export function* eraseAdopter(id: bigint, stamp: ChangeStamp): Work<void> {
  const order = yield* LOCKED_ORDER.one(id);
  if (order === undefined) return;
  if (isOpen(order.status)) return yield* ERASE_AT_END.run(id);
  const changed = changedOrder(order, NOBODY, stamp.at);
  if (changed !== order) yield* saveOrder(order, changed, stamp);
}

/** Orders. */
export function createOrderStorage(transactions: Transactions): OrderStorage {
  const { read, search } = transactions;
  const { reads, writes } = methodsOf<OrderStorage>(transactions);
  return {
    list(wanted, page) {
      if (isSearch(wanted)) return search(() => searchOrders(wanted, page));
      const { status, petId, sort } = wanted;
      return read(() =>
        listed(LIST, { ...page, isDescending: sort === 'newest' }, [
          [(parameter) => sql`status ${isTextIn(parameter)}`, status && JSON.stringify(status)],
          ['pet_id', petId],
        ]),
      );
    },
    ...reads({ find: (id) => BY_ID.one(id) }),
    ...writes({
      place: placeOrder,
      *update(id, change, stamp, precondition) {
        const order = yield* LOCKED_ORDER.one(id);
        if (order === undefined) return undefined;
        precondition(order);
        requireCompletion(order, change, stamp.at);
        const changed = changedOrder(order, change, stamp.at);
        if (changed === order) return order;
        const saved = yield* saveOrder(order, changed, stamp);
        // Another order may hold the animal of a closed one by now.
        if (changed.status !== order.status) {
          const pet = yield* LOCKED_PET.one(order.petId);
          if (pet !== undefined) yield* setStatus(pet, changed.status, stamp, change.completedOn);
        }
        return saved;
      },
      *eraseFinished(time, most, stamp) {
        const finished = yield* TO_ERASE.all(time, most);
        for (const order of finished) {
          yield* saveOrder(order, changedOrder(order, NOBODY, stamp.at), stamp);
        }
        return finished.length;
      },
    }),
  };
}
