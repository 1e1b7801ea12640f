/** Which adoptions the list shows: all of it is in the address. */
import { query } from '../../router.ts';
import {
  loadPets,
  type Order,
  type OrderStatus,
  type Page,
  type Pet,
  store,
} from '../../service.ts';

/** A search of many orders may find nothing before its last page: this many are read at once. */
const PAGES_MAX = 10;
const DATE = /^\d{4}-\d\d-\d\d$/;
const STATUSES: readonly OrderStatus[] = ['placed', 'approved', 'completed', 'cancelled'];

export interface OrderFilter {
  readonly q?: string;
  readonly status?: OrderStatus;
  readonly from?: string;
  readonly to?: string;
}

/** Query parameters that show the board. */
export const NO_SEARCH = {
  ...{ q: undefined, status: undefined, from: undefined, to: undefined },
  ...{ view: undefined, page: undefined },
};

/** Returns a day in the address: `2026-11-23`. */
function dayIn(name: 'from' | 'to'): string | undefined {
  const text = query.value.get(name) ?? '';
  return DATE.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** Returns the filter in the address. Both days belong to it, as they are where the reader is. */
export function currentSearch(): OrderFilter {
  const q = query.value.get('q') ?? '';
  const status = STATUSES.find((one) => one === query.value.get('status'));
  const [from, to] = [dayIn('from'), dayIn('to')];
  return {
    ...(q !== '' && { q }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from: startOf(from, 0) }),
    ...(to !== undefined && { to: startOf(to, 1) }),
  };
}

/** The start of a day, or of one after it, as the service takes it. */
function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
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
): Promise<Page<FoundOrder>> {
  let page = await store.orders.list({ ...filter, sort: 'newest' }, { signal }).page(cursor);
  for (let read = 1; page.items.length === 0 && page.next && read < PAGES_MAX; read++) {
    page = await page.next();
  }
  const { next: _, items, ...rest } = page;
  return { ...rest, items: await withPets(items, signal) };
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
