import type { Edit, Precondition } from './edit.ts';
import { Failure } from './failure.ts';
import type { Later } from './later.ts';
import type { Page, PageRequest } from './page.ts';
import type { Pet, PetStatus } from './pet.ts';

export const ORDER_STATUSES = ['placed', 'approved', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ADOPTER_MAX = 255;

/** The adoption of an animal. */
export interface Order {
  readonly id: bigint;
  readonly petId: bigint;
  /** A name or reference that the client chooses; it follows the rules of name.ts. */
  readonly adopter: string | undefined;
  readonly status: OrderStatus;
  /** Milliseconds since the Unix epoch. */
  readonly placedAt: number;
  readonly updatedAt: number;
}

export interface NewOrder {
  readonly petId: bigint;
  readonly adopter: string | undefined;
}

/** What is to change of an order; what is undefined stays. */
export interface OrderChange {
  readonly status?: OrderStatus | undefined;
  readonly adopter?: string | undefined;
}

export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly petId?: bigint | undefined;
}

export interface OrderStorage {
  /** Ascending by id. */
  list(filter: OrderFilter, page: PageRequest): Later<Page<Order>>;
  find(id: bigint): Later<Order | undefined>;
  /**
   * Places an order and makes its animal pending, in one step. Throws `pet_not_found`, or
   * `conflict` for an animal that is not available: of two at once, the second meets that.
   */
  place(order: NewOrder, edit: Edit): Later<Order>;
  /**
   * Changes an order, and with its status that of its animal, in one step. Undefined where there
   * is no such order. Throws `conflict` for a move that the status does not allow.
   */
  update(
    id: bigint,
    change: OrderChange,
    edit: Edit,
    precondition: Precondition<Order>,
  ): Later<Order | undefined>;
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
export function noSuchPet(petId: bigint): Failure {
  return new Failure('pet_not_found', `There is no animal ${petId}.`);
}

/** The failure of an order for an animal that somebody has already, or is about to have. */
export function notAvailable(petId: bigint, status: PetStatus): Failure {
  const rule = 'only an animal that is available can be ordered';
  return new Failure('conflict', `Animal ${petId} is ${status}: ${rule}.`);
}

/** The failure of a move that the status of an order does not allow. */
export function illegalMove(id: bigint, from: OrderStatus, to: OrderStatus): Failure {
  const next = MOVES[from].join(' or ') || 'nothing else';
  return new Failure('conflict', `Order ${id} is ${from} and can become ${next}, not ${to}.`);
}

/** Throws what stands in the way of an order for this animal. */
export function requireAvailable(pet: Pet | undefined, petId: bigint): void {
  if (pet === undefined) throw noSuchPet(petId);
  if (pet.status !== 'available') throw notAvailable(petId, pet.status);
}

/**
 * Gives the order as the change leaves it; the same object where it changes nothing. Throws
 * `conflict` for a move that the status does not allow, and for any other change once it is closed.
 */
export function changedOrder(order: Order, change: OrderChange, at: number): Order {
  const status = change.status ?? order.status;
  const adopter = change.adopter ?? order.adopter;
  if (status === order.status && adopter === order.adopter) return order;
  if (status !== order.status && !MOVES[order.status].includes(status)) {
    throw illegalMove(order.id, order.status, status);
  }
  if (!isOpen(order.status)) {
    throw new Failure(
      'conflict',
      `Order ${order.id} is ${order.status}; it cannot change any more.`,
    );
  }
  return { ...order, status, adopter, updatedAt: at };
}

/** The failure of a change that an open order of the animal does not let through. */
export function heldByOrder(petId: bigint, orderId: bigint): Failure {
  return new Failure(
    'conflict',
    `Animal ${petId} is held by the open order ${orderId}: complete or cancel that first.`,
  );
}
