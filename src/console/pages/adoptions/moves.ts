/** The progress of an adoption, and what a person can do to it. */
import type { Order, OrderStatus } from '../../service.ts';

/** What a person can do to an open order. */
export interface Move {
  readonly to: OrderStatus;
  /** The name of the button. */
  readonly label: string;
  /** Asked before it is done; undefined if it needs no question. */
  readonly question?: { readonly title: string; readonly consequence: string };
}

/** A column of the board. */
export interface ColumnKind {
  readonly status: OrderStatus;
  readonly title: string;
  /** Open orders are worked off, the oldest first. Of closed ones, the newest matter. */
  readonly sort: 'oldest' | 'newest';
  /** What an empty column says. */
  readonly empty: string;
}

export const COLUMNS: readonly ColumnKind[] = [
  {
    ...{ status: 'placed', title: 'Placed', sort: 'oldest' },
    empty: 'No new requests.',
  },
  {
    ...{ status: 'approved', title: 'Approved', sort: 'oldest' },
    empty: 'Nobody is waiting to take an animal home.',
  },
  {
    ...{ status: 'completed', title: 'Completed', sort: 'newest' },
    empty: 'No adoption has been completed yet.',
  },
  {
    ...{ status: 'cancelled', title: 'Cancelled', sort: 'newest' },
    empty: 'No order has been cancelled.',
  },
];

const APPROVE: Move = { to: 'approved', label: 'Approve' };
const COMPLETE: Move = {
  ...{ to: 'completed', label: 'Complete' },
  question: {
    title: 'Complete this adoption?',
    consequence: 'The animal is marked as sold. This cannot be undone.',
  },
};
const CANCEL: Move = {
  ...{ to: 'cancelled', label: 'Cancel order' },
  question: {
    title: 'Cancel this order?',
    consequence: 'The animal becomes available again. The order cannot be reopened.',
  },
};

const MOVES: Record<OrderStatus, readonly Move[]> = {
  placed: [APPROVE, CANCEL],
  approved: [COMPLETE, CANCEL],
  completed: [],
  cancelled: [],
};

/** Returns what can be done to an order, the usual step first. */
export function movesOf({ status }: Pick<Order, 'status'>): readonly Move[] {
  return MOVES[status];
}

/** Returns the move that takes an order to a column, if there is one. */
export function moveTo(order: Pick<Order, 'status'>, status: OrderStatus): Move | undefined {
  return movesOf(order).find(({ to }) => to === status);
}

/** Returns whether an order still holds its animal. */
export function isOpen(order: Pick<Order, 'status'>): boolean {
  return movesOf(order).length > 0;
}
