import { useState } from 'preact/hooks';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { closeDialog, openDialog, query } from '../../router.ts';
import type { Event } from '../../service.ts';
import { may } from '../../session.ts';
import { type Board, COLUMN_STEP, loadBoard, SHOWN_AT_FIRST } from './board.ts';
import { BoardColumn } from './board-column.tsx';
import { COLUMNS } from './moves.ts';
import { OrderDialog } from './order-dialog.tsx';
import { PlaceOrder } from './place-order.tsx';

/** The value of `place` in the address while no animal is chosen. */
const ANY_ANIMAL = 'new';

/** The adoptions by their progress. */
export default function AdoptionsPage() {
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const { value, error, reload } = useLoaded<Board>(
    (signal) => loadBoard(shown, signal),
    [shown],
    ['order.placed', 'order.updated', 'pet.updated', 'pet.deleted'],
    { concerns },
  );
  const order = query.value.get('order');
  const place = query.value.get('place');

  /** Of the animals, those on the board: an import changes thousands of others. */
  function concerns(event: Event): boolean {
    const isAnimal = event.type === 'pet.updated' || event.type === 'pet.deleted';
    return !isAnimal || value?.pets.has(event.data.id) === true;
  }

  return (
    <>
      <PageHeader title="Adoptions">
        {may('adopt') && (
          <button
            type="button"
            class="button primary"
            onClick={() => openDialog({ place: ANY_ANIMAL })}
          >
            <Icon name="add" />
            Place order
          </button>
        )}
      </PageHeader>
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value === undefined && error === undefined && <LoadingState />}
      {value !== undefined && isEmpty(value) && <NoAdoptions />}
      {value !== undefined && !isEmpty(value) && (
        <div class="board">
          {COLUMNS.map((kind) => (
            <BoardColumn
              key={kind.status}
              kind={kind}
              content={value.columns[kind.status]}
              pets={value.pets}
              onMore={() => setShown({ ...shown, [kind.status]: shown[kind.status] + COLUMN_STEP })}
            />
          ))}
        </div>
      )}
      {place !== null && may('adopt') && (
        <PlaceOrder
          petId={place === ANY_ANIMAL ? undefined : place}
          onClose={() => closeDialog({ place: undefined })}
        />
      )}
      {order !== null && (
        <OrderDialog key={order} id={order} onClose={() => closeDialog({ order: undefined })} />
      )}
    </>
  );
}

function NoAdoptions() {
  return (
    <EmptyState
      title="No adoptions yet"
      text={
        may('adopt')
          ? 'When somebody wants an animal, place an order for it. It appears here until the animal has moved.'
          : 'When an order is placed, it appears here.'
      }
    />
  );
}

function isEmpty({ columns }: Board): boolean {
  return COLUMNS.every(({ status }) => columns[status].orders.length === 0);
}
