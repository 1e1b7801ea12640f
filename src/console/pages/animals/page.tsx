import { useEffect, useState } from 'preact/hooks';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState, explain } from '../../components/error-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { currentCursor, Pager } from '../../components/pager.tsx';
import { isLost } from '../../connection.ts';
import { count } from '../../format.ts';
import { openDialog, setQuery } from '../../router.ts';
import type { PetstoreError } from '../../service.ts';
import { may } from '../../session.ts';
import { AnimalDialogs } from './animal-dialogs.tsx';
import { AnimalTable } from './animal-table.tsx';
import { useAnimals } from './animals.ts';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { currentFilter, isFiltering, NO_FILTER } from './filter.ts';
import { KeysHelp } from './keys-help.tsx';
import { Toolbar } from './toolbar.tsx';

const NONE: ReadonlySet<string> = new Set();
const add = () => openDialog({ open: 'add', animal: undefined });

/** The animals of the shop: find, add, change and remove them. */
export default function AnimalsPage() {
  const filter = currentFilter();
  const cursor = currentCursor();
  const { items, list, next, error, isLoading, reload } = useAnimals(filter, cursor);
  const [selected, setSelected] = useState(NONE);
  useEffect(() => setSelected(NONE), [list]);
  const chosen = items?.filter(({ id }) => selected.has(String(id))) ?? [];
  const isEmptyShop =
    items?.length === 0 && !isFiltering(filter) && cursor === undefined && next === undefined;

  function clear() {
    setSelected(NONE);
    // The button that had the focus goes away.
    document.querySelector<HTMLElement>('.animals input')?.focus();
  }

  return (
    <>
      <PageHeader title="Animals">
        {may('write') && <KeysHelp />}
        {may('write') && (
          <button type="button" class="button primary" onClick={add}>
            <Icon name="add" />
            Add animal
          </button>
        )}
      </PageHeader>
      {!isEmptyShop && <Toolbar filter={filter} />}
      <p class="visually-hidden" role="status">
        {items !== undefined && !isLoading && resultOf(items.length, next)}
      </p>
      {error !== undefined && items === undefined && <ErrorState error={error} retry={reload} />}
      {error !== undefined && items !== undefined && <Outdated error={error} retry={reload} />}
      {items === undefined && error === undefined && <LoadingState />}
      {items !== undefined && items.length > 0 && (
        <AnimalTable
          pets={items}
          isLoading={isLoading}
          selection={{ selected, change: setSelected }}
        />
      )}
      {isEmptyShop && <EmptyShop />}
      {items?.length === 0 && !isEmptyShop && <NothingFound next={next} />}
      {items !== undefined && <Pager name="animals" next={next} />}
      {chosen.length > 0 && <BulkBar pets={chosen} onClear={clear} />}
      <AnimalDialogs onAdded={reload} />
    </>
  );
}

interface OutdatedProps {
  readonly error: PetstoreError;
  readonly retry: () => void;
}

/** Says why the list below cannot be loaded again. Without a connection, the frame says so. */
function Outdated({ error, retry }: OutdatedProps) {
  if (isLost.value) return null;
  return (
    <p class="animals-outdated" role="alert">
      {explain(error)}
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </p>
  );
}

/** Told to people who cannot see the list change. */
function resultOf(shown: number, next: string | undefined): string {
  if (shown === 0) return next === undefined ? 'No animals found' : 'None found so far';
  return `${count(shown, 'animal')} on this page${next === undefined ? '' : ', more on the next'}`;
}

function EmptyShop() {
  if (!may('write')) {
    return (
      <EmptyState
        title="No animals yet"
        text="Your key may only look. Ask an administrator for a key that may add animals."
      />
    );
  }
  return (
    <EmptyState title="No animals yet" text="Bring all of them from a file, or start with one.">
      <a class="button" href="/console/import">
        Import a file
      </a>
      <button type="button" class="button primary" onClick={add}>
        Add the first animal
      </button>
    </EmptyState>
  );
}

interface NothingFoundProps {
  /** The cursor to search on from; undefined if all was searched. */
  readonly next: string | undefined;
}

function NothingFound({ next }: NothingFoundProps) {
  if (next !== undefined) {
    return (
      <EmptyState title="None found so far" text="There are more animals to search.">
        <button type="button" class="button primary" onClick={() => setQuery({ page: next })}>
          Search on
        </button>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No animals found"
      text="Search for a part of the name, or look in all categories and with any status."
    >
      <button type="button" class="button" onClick={() => setQuery(NO_FILTER)}>
        Clear filters
      </button>
    </EmptyState>
  );
}
