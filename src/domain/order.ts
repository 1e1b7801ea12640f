import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { Page, PageRequest } from './page.ts';
import type { Pet, PetStatus } from './pet.ts';
import { isInFuture } from './profile.ts';

export const ORDER_STATUSES = ['placed', 'approved', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ADOPTER_MAX = 255;
export const CONTACT_MAX = 255;
export const NOTE_MAX = 2_000;

/** The personal fields of an order. */
export interface Personal {
  readonly adopter: string | undefined;
  readonly contact: string | undefined;
  /** May have line breaks. The other two follow the rules of a name: see name.ts. */
  readonly note: string | undefined;
  /** Why the animal came back. As a note; only a return sets it. */
  readonly returnReason: string | undefined;
  /** The answers to the questions of the shop, as JSON. Only an enquiry sets it. */
  readonly answers: string | undefined;
}

export const PERSONAL_FIELDS = [
  ...(['adopter', 'contact', 'note', 'returnReason', 'answers'] as const),
] satisfies (keyof Personal)[];
export const RETURN_REASON_MAX = 500;

/**
 * The adoption of an animal.
 *
 * Callers with the scope `adopt` may place orders; `read` may see them without their personal
 * fields; only `write` sees these and may change an order. An animal must be available to be
 * ordered, and has at most one open order. An order moves from placed to approved to completed, or
 * is cancelled from the first two; the status of its animal follows. A closed order cannot change,
 * except that its personal fields can be erased.
 */
export interface Order extends Personal {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: OrderStatus;
  /** Milliseconds since the Unix epoch. */
  readonly placedAt: number;
  /** When it took each later step; undefined for one that it did not take. */
  readonly approvedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly cancelledAt: number | undefined;
  readonly updatedAt: number;
  /** When the animal of a completed order came back. */
  readonly returnedAt: number | undefined;
}

/** The times of steps that an order may not have reached. */
export type StepTime = 'approvedAt' | 'completedAt' | 'cancelledAt' | 'returnedAt';

/** An order to place. */
export interface NewOrder extends Partial<Omit<Personal, 'returnReason'>> {
  readonly petId: bigint;
}

/** A change of an order: undefined leaves a value as it is, null erases it. */
export type OrderChange = {
  readonly [field in keyof Personal]?: string | null | undefined;
} & {
  readonly status?: OrderStatus | undefined;
  /** A date: when the animal left, for an order that is completed. Today by default. */
  readonly completedOn?: string | undefined;
};

export const ORDER_SORTS = ['oldest', 'newest'] as const;
type OrderSort = (typeof ORDER_SORTS)[number];

/** Which orders a list has, and in which order. */
export interface OrderQuery {
  /** Any of these. */
  readonly status?: readonly OrderStatus[] | undefined;
  readonly petId?: bigint | undefined;
  /** By id, which grows with time; `oldest` by default. */
  readonly sort?: OrderSort | undefined;
  /** The step that the two times are about; `placed` by default. */
  readonly step?: OrderStatus | undefined;
  /** It was at this time or later, in milliseconds since the Unix epoch. */
  readonly from?: number | undefined;
  /** It was before this time. */
  readonly to?: number | undefined;
  readonly search?: OrderSearch | undefined;
}

/** What to find orders by. */
export interface OrderSearch {
  /** Parts of words, folded by `foldName`: each must occur somewhere. */
  readonly words: readonly string[];
  /** Whether adopter and contact are searched too, and not only the name of the animal. */
  readonly withPersonal: boolean;
}

/** The storage contract of orders. */
export interface OrderStorage {
  /**
   * Returns the page after `afterId` in the order that `sort` asks for. With a time or a search it
   * reads a bounded number of orders: such a page can have few items, or none, while more follow.
   */
  list(query: OrderQuery, page: PageRequest): Promise<Page<Order>>;
  find(id: bigint): Promise<Order | undefined>;
  /**
   * Places an order and makes its animal pending, in one transaction. Throws `pet_not_found`, or
   * `conflict` if the animal is not available, as for the second of two orders at the same time.
   */
  place(order: NewOrder, stamp: ChangeStamp): Promise<Order>;
  /**
   * Changes an order, and the status of its animal with it, in one transaction. Returns undefined
   * if the order does not exist. Throws what the precondition throws, or `conflict` as `changedOrder`
   * does.
   */
  update(
    id: bigint,
    change: OrderChange,
    stamp: ChangeStamp,
    precondition: Precondition<Order>,
  ): Promise<Order | undefined>;
  /**
   * Erases the personal fields of completed and cancelled orders that last changed at or before `time`, at
   * most of `most`, oldest first. Each is a change of the order, as if `update` had erased them. Returns the
   * number of orders.
   */
  eraseFinished(time: number, most: number, stamp: ChangeStamp): Promise<number>;
}

/** The statuses that may follow each status. */
const TRANSITIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['approved', 'cancelled'],
  approved: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** The status of an animal for each status of its latest order. */
export const PET_STATUS_UNDER: Record<OrderStatus, PetStatus> = {
  placed: 'pending',
  approved: 'pending',
  completed: 'sold',
  cancelled: 'available',
};

/** Returns whether an order with this status is open, and so holds its animal. */
export function isOpen(status: OrderStatus): boolean {
  return TRANSITIONS[status].length > 0;
}

/** The failure of an order for an animal that does not exist. */
export function petNotFound(petId: bigint): Failure {
  return new Failure('pet_not_found', `There is no animal ${petId}.`);
}

/** The failure of an order for an animal that is not available. */
export function petNotAvailable(petId: bigint, status: PetStatus): Failure {
  const rule = 'only an available animal can be ordered';
  return new Failure('conflict', `Animal ${petId} is ${status}: ${rule}.`);
}

/** The failure of a transition that the status of an order does not allow. */
export function invalidTransition(id: bigint, from: OrderStatus, to: OrderStatus): Failure {
  const next = TRANSITIONS[from].join(' or ');
  const rule = next === '' ? `cannot become ${to}` : `can become ${next}, not ${to}`;
  return new Failure('conflict', `Order ${id} is ${from} and ${rule}.`);
}

/** Returns an animal that can be ordered. Throws `pet_not_found` or `conflict` for any other. */
export function availablePet(pet: Pet | undefined, petId: bigint): Pet {
  if (pet === undefined) throw petNotFound(petId);
  if (pet.status !== 'available') throw petNotAvailable(petId, pet.status);
  return pet;
}

/**
 * Returns the order with the change applied, or the same object if nothing changes. Throws
 * `conflict` for a transition that the status does not allow, and for any change of a closed order
 * other than erasing personal fields.
 */
export function changedOrder(order: Order, change: OrderChange, at: number): Order {
  const status = change.status ?? order.status;
  if (status !== order.status && !TRANSITIONS[order.status].includes(status)) {
    throw invalidTransition(order.id, order.status, status);
  }
  const valueAfter = (field: keyof Personal) =>
    change[field] === undefined ? order[field] : (change[field] ?? undefined);
  const personal: Personal = {
    adopter: valueAfter('adopter'),
    contact: valueAfter('contact'),
    note: valueAfter('note'),
    returnReason: valueAfter('returnReason'),
    answers: valueAfter('answers'),
  };
  const changed = PERSONAL_FIELDS.filter((field) => personal[field] !== order[field]);
  if (!isOpen(order.status) && changed.some((field) => personal[field] !== undefined)) {
    throw onlyErasable(order);
  }
  if (status === order.status && changed.length === 0) return order;
  const step = status === order.status ? {} : { [`${status}At`]: at };
  return { ...order, ...personal, ...step, status, updatedAt: at };
}

/** Throws `invalid_body` for a day of completion without one, or one after today. */
export function requireCompletion(order: Order, { status, completedOn }: OrderChange, at: number) {
  if (completedOn === undefined) return;
  if (status !== 'completed' || order.status === 'completed') {
    throw new Failure('invalid_body', 'completedOn needs an order that becomes completed.');
  }
  if (isInFuture(completedOn, at)) {
    throw new Failure('invalid_body', 'completedOn must not be after today.');
  }
}

function onlyErasable({ id, status }: Order): Failure {
  const fields = 'adopter, contact and note can only be erased, with null';
  return new Failure('conflict', `Order ${id} is ${status}: its ${fields}.`);
}

/** The failure of a change of an animal that an open order holds. */
export function petUnderOrder(petId: bigint, orderId: bigint): Failure {
  return new Failure(
    'conflict',
    `Animal ${petId} is held by the open order ${orderId}: complete or cancel the order first.`,
  );
}
