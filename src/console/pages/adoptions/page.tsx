import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { InAddress } from '../../components/dialog.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { query, setQuery, withQuery } from '../../router.ts';
import type { Event, OrderStatus } from '../../service.ts';
import { may } from '../../session.ts';
import { type Board, COLUMN_STEP, contentOf, loadBoard, type Shown } from './board.ts';
import { BoardColumn } from './board-column.tsx';
import { COLUMNS, moved } from './moves.ts';
import { OrderDialog } from './order-dialog.tsx';
import { OrderList, OrderToolbar, showsList } from './order-list.tsx';
import { StartAdoption } from './start-adoption.tsx';

/** The value of `place` in the address while no animal is chosen. */
const ANY_ANIMAL = 'new';

/** The adoptions by their progress; those that are searched for, as a list. */
export default function AdoptionsPage() {
  return (
    <>
      <PageHeader title={t`Adoptions`}>
        {may('adopt') && (
          <Button
            kind="primary"
            icon="add"
            onClick={() => setQuery({ place: ANY_ANIMAL })}
          >{t`New adoption`}</Button>
        )}
      </PageHeader>
      <OrderToolbar />
      {showsList() ? <OrderList /> : <OrderBoard />}
      {may('adopt') && (
        <InAddress name="place">
          {(place) => <StartAdoption petId={place === ANY_ANIMAL ? undefined : place} />}
        </InAddress>
      )}
      <InAddress name="order">{(order) => <OrderDialog id={order} />}</InAddress>
    </>
  );
}

function OrderBoard() {
  const [shown, setShown] = useState<Shown>({});
  const loaded = useLoaded<Board>((signal) => loadBoard(shown, signal), [shown], ['order', 'pet'], {
    concerns,
  });
  const { value } = loaded;
  const column =
    COLUMNS.find(({ status }) => status === query.value.get('column'))?.status ?? 'placed';
  useEffect(() => {
    const isOpen = ([id, to]: readonly [number, OrderStatus]) =>
      !value?.columns[to].orders.some((one) => one.id === id);
    moved.value = new Map([...moved.peek()].filter(isOpen));
  }, [value]);

  /** Of the animals, those on the board: an import changes thousands of others. */
  function concerns(event: Event): boolean {
    const isAnimal = event.type === 'pet.updated' || event.type === 'pet.deleted';
    return !isAnimal || value?.pets.has(event.data.id) === true;
  }

  return (
    <WhenLoaded from={loaded}>
      {(board) =>
        isEmpty(board) ? (
          <NoAdoptions />
        ) : (
          <div class="board">
            {/* On a phone, one column at a time. */}
            <nav class="row tabs board-tabs" aria-label={t`Columns`}>
              {COLUMNS.map(({ status, title }) => (
                <a
                  key={status}
                  href={withQuery({ column: status === COLUMNS[0]?.status ? undefined : status })}
                  aria-current={status === column ? 'page' : undefined}
                >
                  {title}
                </a>
              ))}
            </nav>
            {COLUMNS.map((kind) => (
              <BoardColumn
                key={kind.status}
                kind={kind}
                isShown={kind.status === column}
                content={contentOf(board, kind.status, moved.value)}
                pets={board.pets}
                onMore={() =>
                  setShown({
                    ...shown,
                    [kind.status]: (shown[kind.status] ?? COLUMN_STEP) + COLUMN_STEP,
                  })
                }
              />
            ))}
          </div>
        )
      }
    </WhenLoaded>
  );
}

function NoAdoptions() {
  return (
    <EmptyState
      title={t`No adoptions yet`}
      text={
        may('adopt')
          ? t`When somebody wants an animal, start an adoption. It stays here until the animal has moved.`
          : t`When somebody starts an adoption, it appears here.`
      }
    />
  );
}

function isEmpty({ columns }: Board): boolean {
  return COLUMNS.every(({ status }) => columns[status].orders.length === 0);
}
