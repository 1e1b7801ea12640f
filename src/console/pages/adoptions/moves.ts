/** The progress of an adoption, and what a person can do to it. */

import { signal } from '@preact/signals';
import { type Confirmation, confirm } from '../../components/dialog.tsx';
import { Explained, explain } from '../../failures.ts';
import { t } from '../../language.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { setQuery } from '../../router.ts';
import type { Order, OrderStatus } from '../../service.ts';
import { statusWord } from '../../words.ts';

/** What a person can do to an open order. */
export interface Move {
  readonly to: OrderStatus;
  readonly label: string;
  /** Asked before it is done; undefined if it needs no question. */
  readonly question?: Omit<Confirmation, 'action'>;
}

/** A column of the board. */
export interface ColumnKind {
  readonly status: OrderStatus;
  readonly title: string;
  /** Approved adoptions are worked off, the oldest first. Elsewhere the newest matter. */
  readonly sort: 'oldest' | 'newest';
  /** What an empty column says. */
  readonly empty: string;
}

export const COLUMNS: readonly ColumnKind[] = [
  { status: 'placed', title: t`Placed`, sort: 'newest', empty: t`No new requests.` },
  {
    status: 'approved',
    title: t`Approved`,
    sort: 'oldest',
    empty: t`Nobody is waiting to take an animal home.`,
  },
  {
    status: 'completed',
    title: t`Completed`,
    sort: 'newest',
    empty: t`No adoption has been completed yet.`,
  },
  {
    status: 'cancelled',
    title: t`Cancelled`,
    sort: 'newest',
    empty: t`No adoption has been cancelled.`,
  },
];

const APPROVE: Move = { to: 'approved', label: t`Approve` };
const COMPLETE: Move = {
  to: 'completed',
  label: t`Complete`,
  question: {
    title: t`Complete this adoption?`,
    text: t`The animal is marked as adopted.`,
    isHarmless: true,
    keep: t`Go back`,
  },
};
const CANCEL: Move = {
  to: 'cancelled',
  label: t`Cancel adoption`,
  question: {
    title: t`Cancel this adoption?`,
    text: t`The animal becomes available again. The adoption cannot be reopened.`,
    keep: t`Keep`,
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
export function moveTo(order: Pick<Order, 'status'>, column: OrderStatus): Move | undefined {
  return movesOf(order).find(({ to }) => to === column);
}

/** A phone shows one column: that to which a card goes. */
export function showColumn(status: OrderStatus): void {
  if (matchMedia('(max-width: 39.99rem)').matches) setQuery({ column: status }, 'replace');
}

/** Where orders were moved to on this page, until the board that was loaded shows it. */
export const moved = signal<ReadonlyMap<number, OrderStatus>>(new Map());

function noteMoved(id: number, to: OrderStatus | undefined): void {
  const next = new Map(moved.value);
  if (to === undefined) next.delete(id);
  else next.set(id, to);
  moved.value = next;
}

/**
 * Moves an order, after a question if the step is final, and after `before`. Says what was done, or
 * why not.
 */
export async function moveOrder(
  order: Order,
  move: Move,
  animal: string,
  before?: () => Promise<void>,
): Promise<void> {
  const { to, label, question } = move;
  if (question !== undefined) {
    const who = order.adopter === undefined ? animal : t`${animal}, for ${order.adopter}`;
    const text = `${who}. ${question.text}`;
    if (!(await confirm({ ...question, text, action: label }))) return;
  }
  noteMoved(order.id, to);
  showColumn(to);
  try {
    await before?.();
    const isDone = await submit<Order>({
      label: `${label}: ${animal}`,
      call: (store) => store.orders.update(order.id, { status: to }),
      edits: { seen: order, name: animal },
      refuse: ({ status }) =>
        status === order.status
          ? undefined
          : new Explained(
              t`somebody else has changed this adoption. It is ${statusWord(status)} now.`,
              { code: 'conflict', status: 409 },
            ),
      says: `${animal}: ${statusWord(to)}.`,
    });
    if (!isDone) noteMoved(order.id, undefined);
  } catch (error) {
    noteMoved(order.id, undefined);
    notify(`${animal}: ${explain(error)}`);
  }
}
