import { useEffect, useRef, useState } from 'preact/hooks';
import { formatAgo, formatMoment } from '../../format.ts';
import { openDialog } from '../../router.ts';
import type { Order } from '../../service.ts';
import { may } from '../../session.ts';
import { dragged } from './dragging.ts';
import { moveOrder } from './move-order.ts';
import { type Move, movesOf } from './moves.ts';

/** The order that a button has moved: its card in the next column gets the focus. */
let movedOrder: Order['id'] | undefined;

interface OrderCardProps {
  readonly order: Order;
  /** The name of the animal. */
  readonly animal: string;
}

/** An order on the board: the animal, who adopts it, and what to do next. */
export function OrderCard({ order, animal }: OrderCardProps) {
  const [isBusy, setBusy] = useState(false);
  const moves = may('write') ? movesOf(order) : [];

  const name = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (movedOrder !== order.id) return;
    movedOrder = undefined;
    // Unless the person has gone elsewhere meanwhile.
    if (document.activeElement === document.body) name.current?.focus();
  }, []);

  async function carry(move: Move) {
    if (isBusy) return;
    setBusy(true);
    movedOrder = order.id;
    await moveOrder(order, move, animal).finally(() => setBusy(false));
  }

  return (
    <li
      class="order-card"
      draggable={moves.length > 0}
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', animal);
        dragged.value = { order, animal };
      }}
      onDragEnd={() => {
        dragged.value = undefined;
      }}
    >
      <h3>
        <button
          ref={name}
          type="button"
          class="link"
          onClick={() => openDialog({ order: String(order.id) })}
        >
          {animal}
        </button>
      </h3>
      {order.adopter !== undefined && <p class="order-adopter">{order.adopter}</p>}
      <p class="order-time">
        <span class="visually-hidden">Last change </span>
        <time dateTime={order.updatedAt} title={formatMoment(order.updatedAt)}>
          {formatAgo(order.updatedAt)}
        </time>
      </p>
      {moves.length > 0 && (
        <div class="order-moves">
          {moves.map((move, index) => (
            <button
              key={move.to}
              type="button"
              class={index === 0 ? 'button small' : 'button small quiet'}
              aria-label={`${move.label}: ${animal}`}
              aria-disabled={isBusy}
              onClick={() => carry(move)}
            >
              {move.label}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
