import { useId, useState } from 'preact/hooks';
import { formatNumber } from '../../format.ts';
import { type Board, type ColumnContent, nameOf } from './board.ts';
import { dragged } from './dragging.ts';
import { moveOrder } from './move-order.ts';
import { type ColumnKind, moveTo } from './moves.ts';
import { OrderCard } from './order-card.tsx';

interface BoardColumnProps {
  readonly kind: ColumnKind;
  readonly content: ColumnContent;
  readonly pets: Board['pets'];
  readonly onMore: () => void;
}

/** The orders of one status. An order from another column can be dropped here if it may follow. */
export function BoardColumn({ kind, content, pets, onMore }: BoardColumnProps) {
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
        <span class="board-count">
          {formatNumber(orders.length)}
          {hasMore && '+'}
        </span>
      </h2>
      {orders.length === 0 && <p class="board-empty">{kind.empty}</p>}
      <ol>
        {orders.map((order) => (
          <OrderCard key={order.id} order={order} animal={nameOf(order, pets)} />
        ))}
      </ol>
      {hasMore && (
        <button
          type="button"
          class="button quiet"
          aria-label={`Show more of ${kind.title}`}
          onClick={onMore}
        >
          Show more
        </button>
      )}
    </section>
  );
}
