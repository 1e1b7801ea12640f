/** Which adoptions the list shows: all of it is in the address. */
import { query, readNumber, startOfDay } from '../../router.ts';
import {
  known,
  loadPets,
  type Order,
  type OrderStatus,
  type Page,
  type Pet,
  store,
} from '../../service.ts';
import { COLUMNS } from './moves.ts';

/** A search of many orders may find nothing before its last page: this many are read at once. */
const PAGES_MAX = 10;

/** Which adoptions are wanted. */
export interface OrderFilter {
  readonly q?: string;
  readonly status?: OrderStatus | readonly OrderStatus[];
  readonly step?: OrderStatus;
  readonly from?: string;
  readonly to?: string;
}

/** Query parameters that show the board. */
export const NO_SEARCH = {
  ...{ q: undefined, status: undefined, step: undefined, from: undefined, to: undefined },
  ...{ view: undefined, page: undefined, waiting: undefined },
};

const OPEN: readonly OrderStatus[] = ['placed', 'approved'];
const DAY_MS = 86_400_000;
/** The time in the address that an open adoption has waited for, in days. */
const waiting = () => readNumber(query.value.get('waiting') ?? '');

const statusIn = (name: string) =>
  COLUMNS.find((one) => one.status === query.value.get(name))?.status;

/** Returns the filter in the address. Both days belong to it, as they are where the reader is. */
export function currentSearch(): OrderFilter {
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
export function isTurned({ from, to }: OrderFilter): boolean {
  return from !== undefined && to !== undefined && from >= to;
}

/** An adoption in the list. */
export interface FoundOrder {
  readonly order: Order;
  /** Undefined if the animal was removed. */
  readonly pet: Pet | undefined;
}

/** Loads a page of adoptions, the newest first. It is only empty if nothing was found so far. */
export async function loadFound(
  filter: OrderFilter,
  cursor: string | undefined,
  signal: AbortSignal,
) {
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
