import { signal } from '@preact/signals';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { formatAgo, formatMoment, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { setQuery } from '../../router.ts';
import { type Order, petName } from '../../service.ts';
import { may } from '../../session.ts';
import type { Board, ColumnContent } from './board.ts';
import { type ColumnKind, type Move, moveOrder, movesOf, moveTo } from './moves.ts';

/** The order under the pointer, and the name of its animal; undefined if none is being dragged. */
const dragged = signal<OrderCardProps | undefined>(undefined);

/** The order that a button has moved: its card in the next column gets the focus. */
let movedOrder: Order['id'] | undefined;

interface BoardColumnProps {
  readonly kind: ColumnKind;
  /** Whether it is the one that a phone shows. */
  readonly isShown: boolean;
  readonly content: ColumnContent;
  readonly pets: Board['pets'];
  readonly onMore: () => void;
}

/** The orders of one status. An order from another column can be dropped here if it may follow. */
export function BoardColumn({ kind, isShown, content, pets, onMore }: BoardColumnProps) {
  const headingId = useId();
  const [isOver, setOver] = useState(false);
  const { orders, hasMore } = content;
  const coming = dragged.value;
  const move = coming && moveTo(coming.order, kind.status);

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    dragged.value = undefined;
    if (coming && move) void moveOrder(coming.order, move, coming.animal);
  }

  return (
    <section
      class="board-column"
      data-shown={isShown}
      aria-labelledby={headingId}
      data-drop={move === undefined ? undefined : isOver ? 'over' : 'possible'}
      onDragOver={(event) => {
        if (move === undefined) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2 id={headingId}>
        {kind.title}
        <span class="hint">
          {formatNumber(orders.length)}
          {hasMore && '+'}
        </span>
      </h2>
      {orders.length === 0 && <p class="hint">{kind.empty}</p>}
      <ol>
        {orders.map((order) => (
          <OrderCard key={order.id} order={order} animal={petName(order, pets.get(order.petId))} />
        ))}
      </ol>
      {hasMore && (
        <Button
          kind="quiet"
          label={t`Show more of ${kind.title}`}
          onClick={onMore}
        >{t`Show more`}</Button>
      )}
    </section>
  );
}

interface OrderCardProps {
  readonly order: Order;
  readonly animal: string;
}

/** An order on the board: the animal, who adopts it, and what to do next. */
function OrderCard({ order, animal }: OrderCardProps) {
  const moves = may('write') ? movesOf(order) : [];

  const name = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (movedOrder !== order.id) return;
    movedOrder = undefined;
    // Unless the person has gone elsewhere meanwhile.
    if (document.activeElement === document.body) name.current?.focus();
  }, []);

  function carry(move: Move) {
    movedOrder = order.id;
    return moveOrder(order, move, animal);
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
        <button ref={name} type="button" onClick={() => setQuery({ order: String(order.id) })}>
          {animal}
        </button>
      </h3>
      {order.adopter !== undefined && <p>{order.adopter}</p>}
      <p class="hint">
        <span class="visually-hidden">{t`Last change`} </span>
        <time dateTime={order.updatedAt} title={formatMoment(order.updatedAt)}>
          {formatAgo(order.updatedAt)}
        </time>
      </p>
      <OrderMoves moves={moves} of={animal} onMove={carry} />
    </li>
  );
}

interface OrderMovesProps {
  readonly moves: readonly Move[];
  /** The name of the animal, if nothing else says whose they are. */
  readonly of?: string;
  /** Called with the form around the button, if there is one. */
  readonly onMove: (move: Move, form: HTMLFormElement | null) => Promise<void>;
}

/** What can be done to an order, the usual step first. */
export function OrderMoves({ moves, of, onMove }: OrderMovesProps) {
  if (moves.length === 0) return null;
  return (
    <div class="row order-moves">
      {moves.map((move, index) => (
        <Button
          key={move.to}
          kind={index === 0 ? 'small' : 'small quiet'}
          {...(of && { label: `${move.label}: ${of}` })}
          onClick={({ currentTarget }) => onMove(move, currentTarget.form)}
        >
          {move.label}
        </Button>
      ))}
    </div>
  );
}
