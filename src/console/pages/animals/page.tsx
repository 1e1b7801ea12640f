import { useEffect, useState } from 'preact/hooks';
import { CARES } from '../../../domain/profile.ts';
import { categoryName, categoryOptions } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import {
  type ExportColumns,
  type ExportForm,
  ExportMenu,
  saveFile,
  saveRows,
} from '../../components/export-menu.tsx';
import { QueryField } from '../../components/field.tsx';
import { currentCursor, type Listed, PageHeader, Pager } from '../../components/list-page.tsx';
import { EmptyShop, EmptyState, WhenLoaded } from '../../components/states.tsx';
import { count, formatDate } from '../../format.ts';
import { t } from '../../language.ts';
import { type Loaded, useLoaded } from '../../loading.ts';
import { query, readId, setQuery } from '../../router.ts';
import { collect, type Pet, store } from '../../service.ts';
import { may } from '../../session.ts';
import { optionsOf, statusName } from '../../words.ts';
import { AnimalDialogs } from './animal-dialogs.tsx';
import { type AnimalRow, AnimalTable } from './animal-table.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { forgetChosen } from './change-animal.ts';
import {
  type AnimalFilter,
  animalQuery,
  currentFilter,
  currentSize,
  NO_FILTER,
  SIZES,
  STATUS_OPTIONS,
  staffFilter,
  workFilter,
} from './filter.ts';
import { PrintMenu } from './print-menu.tsx';

/** A search of many names may find nothing before its last page: this many are read at once. */
const PAGES_MAX = 5;

const EXPORTED: ExportColumns<Pet> = {
  Number: ({ id }) => `${id}`,
  Name: ({ name }) => name,
  Status: ({ status }) => statusName(status),
  Category: ({ categoryId }) => categoryName(categoryId),
};

const add = () => setQuery({ open: 'add', animal: undefined });

/** The animals of the shop: find, add, change and remove them. */
export default function AnimalsPage() {
  const filter = currentFilter();
  const cursor = currentCursor();
  const size = currentSize();
  const more = staffFilter();
  const list = [...Object.values(filter), ...Object.values(more), cursor, size].join();
  const loaded = useAnimals(filter, cursor, size);
  const { value, isLoading } = loaded;
  const isEmptyShop =
    value?.items.length === 0 &&
    value.nextCursor === undefined &&
    cursor === undefined &&
    Object.keys(filter).length === 0 &&
    Object.keys(more).length === 1;
  return (
    <>
      <PageHeader title={t`Animals`}>
        {may('write') && <Button kind="primary" icon="add" onClick={add}>{t`Add animal`}</Button>}
      </PageHeader>
      {!isEmptyShop && <Toolbar filter={filter} />}
      <WorkNote />
      <p class="visually-hidden" role="status">
        {value !== undefined && !isLoading && resultOf(value)}
      </p>
      <WhenLoaded from={loaded}>
        {(page) => (
          <>
            {page.items.length > 0 && (
              <Animals key={list} filter={filter} page={page} isLoading={isLoading} />
            )}
            {isEmptyShop && <EmptyShop title={t`No animals yet`} />}
            {page.items.length === 0 && !isEmptyShop && <NothingFound next={page.nextCursor} />}
            {!isEmptyShop && <AnimalPager page={page} />}
            {page.items.length > 0 && (
              <p class="row list-export">
                <ExportMenu name="animals" save={(form) => exportAnimals(filter, form)} />
                {may('write') && <PrintMenu filter={filter} />}
              </p>
            )}
          </>
        )}
      </WhenLoaded>
      <AnimalDialogs />
    </>
  );
}

/** Says what a link of "To do" has asked for, which no field shows. */
function WorkNote() {
  const { listed, inCareSince, careUntil } = workFilter();
  const parts = [
    listed && t`Shown to the public`,
    inCareSince && t`In care since ${formatDate(inCareSince)} or longer`,
    careUntil && t`The last day there has come`,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <p class="row banner">
      {parts.join('. ')}.
      <Button kind="small" onClick={() => setQuery(NO_FILTER)}>{t`Show all animals`}</Button>
    </p>
  );
}

/** Saves all that the list shows; for staff, with all fields. */
async function exportAnimals(filter: AnimalFilter, form: ExportForm): Promise<void> {
  if (!may('write')) return saveRows('animals', EXPORTED, store.pets.list(filter), form);
  const asked = Object.entries(animalQuery(filter)).map(([name, value]) => [name, String(value)]);
  await saveFile('/animals', Object.fromEntries(asked), form);
}

/** Loads a page of animals, the newest first; of a search, in the order of their numbers. */
function useAnimals(
  filter: AnimalFilter,
  cursor: string | undefined,
  limit: number,
): Loaded<Listed<AnimalRow>> {
  const { name, ...others } = filter;
  const more = staffFilter();
  return useLoaded(
    async (signal) => {
      if (may('write')) {
        const asked = { ...animalQuery(filter), limit, total: 'true' } as const;
        return store.animals.list(asked, { signal }).page(cursor);
      }
      const order = { sort: 'newest', total: 'true' } as const;
      const wanted = { ...filter, limit, ...(name === undefined && order) };
      const id = cursor === undefined ? readId(name?.replace(/^#/, '')) : undefined;
      const byNumber = id !== undefined && store.pets.list({ ...others, id }, { signal }).page();
      let page = await store.pets.list(wanted, { signal }).page(cursor);
      for (let read = 1; page.items.length === 0 && page.next && read < PAGES_MAX; read++) {
        page = await page.next();
      }
      const { items } = (await byNumber) || { items: [] };
      const isOther = (pet: Pet) => items.every((one) => one.id !== pet.id);
      const pets = [...items, ...page.items.filter(isOther)];
      return { ...page, items: pets.map((pet) => ({ pet })) };
    },
    [name, filter.status, filter.categoryId, cursor, limit, JSON.stringify(more)],
    may('write') ? ['pet', 'profile', 'photo', 'stay'] : ['pet'],
  );
}

/** Told to people who cannot see the list change. */
function resultOf({ items, nextCursor }: Listed<AnimalRow>): string {
  const isLast = nextCursor === undefined;
  if (items.length === 0) return isLast ? t`No animals found` : t`None found so far`;
  return isLast
    ? t`${count(items.length, 'animal')} on this page`
    : t`${count(items.length, 'animal')} on this page, more on the next`;
}

function AnimalPager({ page }: { readonly page: Listed<AnimalRow> }) {
  const size = currentSize();
  const hasMore = page.nextCursor !== undefined || currentCursor() !== undefined;
  return (
    <Pager name={page.total === 1 ? t`animal` : t`animals`} page={page} size={size}>
      {(hasMore || size !== SIZES[0]) && (
        <QueryField
          type="select"
          name="size"
          label={t`Rows`}
          options={SIZES.map((size) => [`${size}`, `${size}`])}
        />
      )}
    </Pager>
  );
}

interface AnimalsProps {
  readonly filter: AnimalFilter;
  readonly page: Listed<AnimalRow>;
  readonly isLoading: boolean;
}

/** The list, and what is done to several animals. */
function Animals({ filter, page, isLoading }: AnimalsProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** All that match the filter, if the person has chosen them. */
  const [all, setAll] = useState<readonly AnimalRow[]>();
  useEffect(forgetChosen, [page]);
  const animals = all ?? page.items.filter(({ pet }) => selected.has(String(pet.id)));
  const isWholePage = animals.length === page.items.length && page.nextCursor !== undefined;

  function select(keys: ReadonlySet<string>) {
    setAll(undefined);
    setSelected(keys);
  }

  function clear() {
    select(new Set());
    // The button that had the focus goes away.
    document.querySelector<HTMLElement>('.animals input')?.focus();
  }

  const selectAll = async () => {
    setAll(await collect(store.animals.list({ ...animalQuery(filter), limit: 100 })));
  };

  return (
    <>
      <AnimalTable
        animals={page.items}
        areRemoved={staffFilter().removed !== undefined}
        isLoading={isLoading}
        selection={{ selected, change: select }}
      />
      {animals.length > 0 && (
        <BulkBar
          animals={animals}
          matching={isWholePage ? { total: page.total, select: selectAll } : undefined}
          onClear={clear}
          onDone={() => all && select(new Set())}
        />
      )}
    </>
  );
}

/** `next` is the cursor to search on from; undefined if all was searched. */
function NothingFound({ next }: { readonly next: string | undefined }) {
  if (next !== undefined) {
    return (
      <EmptyState title={t`None found so far`} text={t`There are more animals to search.`}>
        <Button kind="primary" onClick={() => setQuery({ page: next })}>{t`Search on`}</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={t`No animals found`}
      text={t`Search for a part of the name, or in all categories and with any status.`}
    >
      <Button onClick={() => setQuery(NO_FILTER)}>{t`Clear filters`}</Button>
    </EmptyState>
  );
}

const NAME_MAX = 255;
const ALL = ['', t`All`] as const;
const CARE_OPTIONS = [ALL, ...optionsOf(CARES)];
const YES_OR_NO = [ALL, ['true', t`Yes`], ['false', t`No`]] as const;
const PLACES = [
  ALL,
  ['here', t`Here now`],
  ['left', t`Have left`],
  ['removed', t`Removed`],
] as const;
const ORDERS = [
  ['', t`Newest`],
  ['name', t`Name`],
  ['waiting', t`In care since`],
  ['location', t`Place`],
] as const;

const MORE_FILTERS = ['care', 'published', 'photo', 'where', 'sort'];

/** Search and filters. What they say is in the address. */
function Toolbar({ filter: { categoryId } }: { readonly filter: AnimalFilter }) {
  const categories = [ALL, ...categoryOptions(categoryId)];
  return (
    <search class="toolbar">
      <QueryField
        type="search"
        name="q"
        label={t`Search animals`}
        placeholder={may('write') ? t`Name, number, breed, chip, place` : t`Name or number`}
        maxLength={NAME_MAX}
      />
      <QueryField
        type="select"
        name="status"
        label={t`Status`}
        options={[ALL, ...STATUS_OPTIONS]}
      />
      <QueryField type="select" name="category" label={t`Category`} options={categories} />
      {may('write') && (
        <details class="more-filters" open={MORE_FILTERS.some((name) => query.value.has(name))}>
          <summary>{t`More filters`}</summary>
          <QueryField type="select" name="care" label={t`Care`} options={CARE_OPTIONS} />
          <QueryField type="select" name="published" label={t`Published`} options={YES_OR_NO} />
          <QueryField type="select" name="photo" label={t`Photo`} options={YES_OR_NO} />
          <QueryField type="select" name="where" label={t`Show`} options={PLACES} />
          <QueryField type="select" name="sort" label={t`Sort by`} options={ORDERS} />
        </details>
      )}
    </search>
  );
}
