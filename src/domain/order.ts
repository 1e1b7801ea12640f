import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Page, PageRequest } from './page.ts';
import type { Pet, PetStatus } from './pet.ts';

export const ORDER_STATUSES = ['placed', 'approved', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ADOPTER_MAX = 255;
export const CONTACT_MAX = 255;
export const NOTE_MAX = 2_000;

/** The personal fields of an order. */
export interface Personal {
  readonly adopter: string | undefined;
  readonly contact: string | undefined;
  /** May have line breaks; the other two follow the rules of a name. See name.ts. */
  readonly note: string | undefined;
}

const PERSONAL_FIELDS = ['adopter', 'contact', 'note'] as const satisfies (keyof Personal)[];

/** The adoption of an animal. */
export interface Order extends Personal {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: OrderStatus;
  /** Milliseconds since the Unix epoch. */
  readonly placedAt: number;
  readonly updatedAt: number;
}

/** An order to place. */
export interface NewOrder extends Partial<Personal> {
  readonly petId: bigint;
}

/** What is to change of an order: undefined keeps a value, null erases it. */
export type OrderChange = {
  readonly [field in keyof Personal]?: string | null | undefined;
} & { readonly status?: OrderStatus | undefined };

export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly petId?: bigint | undefined;
}

export interface OrderStorage {
  /** Ascending by id. */
  list(filter: OrderFilter, page: PageRequest): MaybePromise<Page<Order>>;
  find(id: bigint): MaybePromise<Order | undefined>;
  /**
   * Places an order and makes its animal pending, in one step. Throws `pet_not_found`, or
   * `conflict` for an animal that is not available: of two at once, the second meets that.
   */
  place(order: NewOrder, stamp: ChangeStamp): MaybePromise<Order>;
  /**
   * Changes an order, and with its status that of its animal, in one step. Undefined where there
   * is no such order. Throws `conflict` for a move that the status does not allow.
   */
  update(
    id: bigint,
    change: OrderChange,
    stamp: ChangeStamp,
    precondition: Precondition<Order>,
  ): MaybePromise<Order | undefined>;
}

/** Where an order may go from each status. */
const MOVES: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['approved', 'cancelled'],
  approved: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** What the animal becomes with each status of its order. */
export const PET_STATUS_UNDER: Record<OrderStatus, PetStatus> = {
  placed: 'pending',
  approved: 'pending',
  completed: 'sold',
  cancelled: 'available',
};

/** Whether an order holds its animal. */
export function isOpen(status: OrderStatus): boolean {
  return MOVES[status].length > 0;
}

/** The failure of an order for an animal that does not exist. */
export function petNotFound(petId: bigint): Failure {
  return new Failure('pet_not_found', `There is no animal ${petId}.`);
}

/** The failure of an order for an animal that somebody has already, or is about to have. */
export function petNotAvailable(petId: bigint, status: PetStatus): Failure {
  const rule = 'only an animal that is available can be ordered';
  return new Failure('conflict', `Animal ${petId} is ${status}: ${rule}.`);
}

/** The failure of a move that the status of an order does not allow. */
export function invalidTransition(id: bigint, from: OrderStatus, to: OrderStatus): Failure {
  const next = MOVES[from].join(' or ') || 'nothing else';
  return new Failure('conflict', `Order ${id} is ${from} and can become ${next}, not ${to}.`);
}

/** Throws what stands in the way of an order for this animal. */
export function requireAvailable(pet: Pet | undefined, petId: bigint): void {
  if (pet === undefined) throw petNotFound(petId);
  if (pet.status !== 'available') throw petNotAvailable(petId, pet.status);
}

/**
 * Returns the order with the change applied, or the same object if nothing changes. Once an order is
 * closed its personal fields can still be erased, and nothing else can change. Throws `conflict` for
 * any other change, and for a move that the status does not allow.
 */
export function changedOrder(order: Order, change: OrderChange, at: number): Order {
  const status = change.status ?? order.status;
  if (status !== order.status && !MOVES[order.status].includes(status)) {
    throw invalidTransition(order.id, order.status, status);
  }
  const valueAfter = (field: keyof Personal) =>
    change[field] === undefined ? order[field] : (change[field] ?? undefined);
  const personal: Personal = {
    adopter: valueAfter('adopter'),
    contact: valueAfter('contact'),
    note: valueAfter('note'),
  };
  const changed = PERSONAL_FIELDS.filter((field) => personal[field] !== order[field]);
  if (!isOpen(order.status) && changed.some((field) => personal[field] !== undefined)) {
    throw onlyErasable(order);
  }
  if (status === order.status && changed.length === 0) return order;
  return { ...order, ...personal, status, updatedAt: at };
}

function onlyErasable({ id, status }: Order): Failure {
  const fields = 'adopter, contact and note can only be erased, with null';
  return new Failure('conflict', `Order ${id} is ${status}: its ${fields}.`);
}

/** The failure of a change that an open order of the animal does not let through. */
export function petUnderOrder(petId: bigint, orderId: bigint): Failure {
  return new Failure(
    'conflict',
    `Animal ${petId} is held by the open order ${orderId}: complete or cancel that first.`,
  );
}
