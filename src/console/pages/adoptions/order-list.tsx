import { Button } from '../../components/button.tsx';
import { type ExportColumns, ExportMenu, saveRows } from '../../components/export-menu.tsx';
import { Contact, Status } from '../../components/facts.tsx';
import { type Options, QueryField } from '../../components/field.tsx';
import { currentCursor, PagedTable } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { formatDay } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { query, readNumber, setQuery, startOfDay, withQuery } from '../../router.ts';
import {
  known,
  loadPets,
  type Order,
  type OrderStatus,
  type Page,
  type Pet,
  petName,
  store,
} from '../../service.ts';
import { may } from '../../session.ts';
import { statusName } from '../../words.ts';
import { COLUMNS } from './moves.ts';

const SEARCH_MAX = 200;
const STATUS_OPTIONS: Options = [
  ['', t`All`],
  ...COLUMNS.map(({ status, title }) => [status, title] as const),
];

const STEP_OPTIONS: Options = COLUMNS.map(({ status, title }) => [
  status === 'placed' ? '' : status,
  title,
]);

const nameOf = ({ order, pet }: FoundOrder) => petName(order, pet);

const COLUMN_LIST: readonly Column<FoundOrder>[] = [
  {
    name: t`Animal`,
    cell: (found) => <a href={withQuery({ order: `${found.order.id}` })}>{nameOf(found)}</a>,
  },
  { name: t`Adopter`, cell: ({ order }) => order.adopter },
  {
    name: t`Contact`,
    cell: (found) =>
      found.order.contact !== undefined && (
        <Contact of={found.order.contact} subject={nameOf(found)} />
      ),
  },
  { name: t`Status`, cell: ({ order }) => <Status value={order.status} /> },
  {
    name: t`Last step`,
    cell: ({ order }) => formatDay(order[`${order.status}At`] ?? order.updatedAt),
  },
];

const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

const EXPORTED: ExportColumns<FoundOrder> = {
  Order: ({ order }) => `${order.id}`,
  Animal: nameOf,
  'Animal number': ({ order }) => `${order.petId}`,
  Adopter: ({ order }) => order.adopter,
  Contact: ({ order }) => order.contact,
  Note: ({ order }) => order.note,
  Status: ({ order }) => statusName(order.status),
  Placed: ({ order }) => new Date(order.placedAt),
  Approved: ({ order }) => timeOf(order.approvedAt),
  Completed: ({ order }) => timeOf(order.completedAt),
  Cancelled: ({ order }) => timeOf(order.cancelledAt),
  Returned: ({ order }) => timeOf(order.returnedAt),
  'Last change': ({ order }) => new Date(order.updatedAt),
};

/** Returns whether the list is shown instead of the board. */
export function showsList(): boolean {
  return query.value.get('view') === 'list' || Object.keys(currentSearch()).length > 0;
}

/** Search and days, above the board too. What they say is in the address. */
export function OrderToolbar() {
  const isList = showsList();
  return (
    <search class="toolbar">
      <QueryField
        type="search"
        name="q"
        label={t`Search adoptions`}
        placeholder={may('write') ? t`Adopter, contact or animal` : t`Animal`}
        maxLength={SEARCH_MAX}
      />
      {isList && (
        <QueryField type="select" name="status" label={t`Status`} options={STATUS_OPTIONS} />
      )}
      <QueryField type="select" name="step" label={t`Step`} options={STEP_OPTIONS} />
      <QueryField type="date" name="from" label={t`From`} />
      <QueryField type="date" name="to" label={t`To`} />
      {isList ? (
        <a class="button" href={withQuery(NO_SEARCH)}>{t`Show the board`}</a>
      ) : (
        <a class="button" href={withQuery({ view: 'list' })}>{t`Show as a list`}</a>
      )}
    </search>
  );
}

export function OrderList() {
  const filter = currentSearch();
  if (!isTurned(filter)) return <FoundOrders filter={filter} />;
  return (
    <EmptyState
      title={t`The days are the wrong way round`}
      text={t`The day under From comes after the day under To.`}
    >
      <Button
        onClick={() => setQuery({ from: undefined, to: undefined })}
      >{t`Clear the days`}</Button>
    </EmptyState>
  );
}

function FoundOrders({ filter }: { readonly filter: OrderFilter }) {
  const cursor = currentCursor();
  const loaded = useLoaded(
    (signal) => loadFound(filter, cursor, signal),
    [filter.q, filter.status, filter.step, filter.from, filter.to, cursor],
    ['order'],
  );
  const { value } = loaded;
  return (
    <>
      <PagedTable
        caption={t`Adoptions`}
        columns={COLUMN_LIST}
        from={loaded}
        keyOf={({ order }) => order.id}
        empty={
          <EmptyState
            title={t`No adoptions found`}
            text={
              value?.nextCursor === undefined
                ? t`Search for a part of a name, or on other days.`
                : t`There are more adoptions to search.`
            }
          >
            <Button onClick={() => setQuery(NO_SEARCH)}>{t`Clear the search`}</Button>
          </EmptyState>
        }
      />
      {value !== undefined && value.items.length > 0 && (
        <p class="list-export">
          <ExportMenu
            name="adoptions"
            save={(form) => saveRows('adoptions', EXPORTED, readFound(filter), form)}
          />
        </p>
      )}
    </>
  );
}

/** A search of many orders may find nothing before its last page: this many are read at once. */
const PAGES_MAX = 10;

/** Which adoptions are wanted. */
interface OrderFilter {
  readonly q?: string;
  readonly status?: OrderStatus | readonly OrderStatus[];
  readonly step?: OrderStatus;
  readonly from?: string;
  readonly to?: string;
}

const NO_SEARCH = {
  ...{ q: undefined, status: undefined, step: undefined, from: undefined, to: undefined },
  ...{ view: undefined, page: undefined, waiting: undefined },
};

const OPEN: readonly OrderStatus[] = ['placed', 'approved'];
const DAY_MS = 86_400_000;
/** The time in the address that an open adoption has waited for, in days. */
const waiting = () => readNumber(query.value.get('waiting'));

const statusIn = (name: string) =>
  COLUMNS.find((one) => one.status === query.value.get(name))?.status;

/** Returns the filter in the address. Both days belong to it, as they are where the reader is. */
function currentSearch(): OrderFilter {
  const days = waiting();
  if (days !== undefined) {
    // To the minute: a time that moves on would load the list again and again.
    const before = Math.floor((Date.now() - days * DAY_MS) / 60_000) * 60_000 + 60_000;
    const to = new Date(before).toISOString();
    return known({ q: query.value.get('q'), status: OPEN, to });
  }
  const [from, to] = [startOfDay('from', 0), startOfDay('to', 1)];
  const step = (from ?? to) === undefined ? undefined : statusIn('step');
  return known({ q: query.value.get('q'), status: statusIn('status'), step, from, to });
}

/** Whether the last day comes before the first one. */
function isTurned({ from, to }: OrderFilter): boolean {
  return from !== undefined && to !== undefined && from >= to;
}

export interface FoundOrder {
  readonly order: Order;
  /** Undefined if the animal was removed. */
  readonly pet: Pet | undefined;
}

/** Loads a page of adoptions, the newest first. It is only empty if nothing was found so far. */
async function loadFound(filter: OrderFilter, cursor: string | undefined, signal: AbortSignal) {
  let page = await store.orders.list({ ...filter, sort: 'newest' }, { signal }).page(cursor);
  for (let read = 1; page.items.length === 0 && page.next && read < PAGES_MAX; read++) {
    page = await page.next();
  }
  return { ...page, items: await withPets(page.items, signal) };
}

/** Reads all adoptions that a filter finds. */
export async function* readFound(filter: OrderFilter): AsyncIterable<FoundOrder> {
  const wanted = { ...filter, sort: 'newest', limit: 100 } as const;
  let page: Page<Order> | undefined = await store.orders.list(wanted).page();
  for (; page; page = await page.next?.()) yield* await withPets(page.items);
}

async function withPets(orders: readonly Order[], signal?: AbortSignal): Promise<FoundOrder[]> {
  const pets = await loadPets(orders, signal);
  return orders.map((order) => ({ order, pet: pets.get(order.petId) }));
}
