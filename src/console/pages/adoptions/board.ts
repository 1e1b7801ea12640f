/** The orders on the board, and their animals. */
import { type Order, type OrderStatus, type Pet, store } from '../../service.ts';
import { COLUMNS, type ColumnKind } from './moves.ts';

/** Orders that a column shows at first, and that "Show more" adds. */
export const COLUMN_STEP = 20;
/** The most orders and ids that one request may ask for. */
const PAGE_MAX = 100;

/** The orders of one status. */
export interface ColumnContent {
  readonly orders: readonly Order[];
  readonly hasMore: boolean;
}

export interface Board {
  readonly columns: Readonly<Record<OrderStatus, ColumnContent>>;
  /** The animals of these orders by id. Those that were removed are missing. */
  readonly pets: ReadonlyMap<number, Pet>;
}

/** Returns a column with the orders that were moved here and are not loaded there yet. */
export function contentOf(
  { columns }: Board,
  status: OrderStatus,
  moved: ReadonlyMap<number, OrderStatus>,
): ColumnContent {
  const { orders, hasMore } = columns[status];
  const isHere = (order: Order) => (moved.get(order.id) ?? order.status) === status;
  const coming = Object.values(columns)
    .flatMap((column) => column.orders)
    .filter((order) => order.status !== status && isHere(order))
    .map((order) => ({ ...order, status }));
  return { orders: [...coming, ...orders.filter(isHere)], hasMore };
}

/** How many orders each column shows. */
export type Shown = Readonly<Record<OrderStatus, number>>;

export const SHOWN_AT_FIRST: Shown = {
  placed: COLUMN_STEP,
  approved: COLUMN_STEP,
  completed: COLUMN_STEP,
  cancelled: COLUMN_STEP,
};

/** Loads the board. */
export async function loadBoard(shown: Shown, signal: AbortSignal): Promise<Board> {
  const contents = await Promise.all(
    COLUMNS.map(async (kind) => [kind.status, await loadColumn(kind, shown, signal)] as const),
  );
  const orders = contents.flatMap(([, content]) => content.orders);
  const pets = await loadPets(new Set(orders.map(({ petId }) => petId)), signal);
  // COLUMNS has each status once.
  return { columns: Object.fromEntries(contents) as Board['columns'], pets };
}

async function loadColumn(
  { status, sort }: ColumnKind,
  shown: Shown,
  signal: AbortSignal,
): Promise<ColumnContent> {
  const orders: Order[] = [];
  const wanted = shown[status];
  const limit = Math.min(wanted, PAGE_MAX);
  let page = await store.orders.list({ status, sort, limit }, { signal }).page();
  for (;;) {
    orders.push(...page.items);
    if (page.next === undefined || orders.length >= wanted) break;
    page = await page.next();
  }
  return { orders, hasMore: page.next !== undefined };
}

/** Loads animals by their ids. */
export async function loadPets(
  wanted: ReadonlySet<number>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Pet>> {
  const ids = [...wanted];
  const parts = Array.from({ length: Math.ceil(ids.length / PAGE_MAX) }, (_, index) =>
    ids.slice(index * PAGE_MAX, (index + 1) * PAGE_MAX),
  );
  const pages = await Promise.all(
    parts.map((id) =>
      store.pets.list({ id, limit: PAGE_MAX }, signal === undefined ? {} : { signal }).page(),
    ),
  );
  return new Map(pages.flatMap(({ items }) => items).map((pet) => [pet.id, pet]));
}

/** Returns the name of the animal of an order. */
export function nameOf({ petId }: Pick<Order, 'petId'>, pets: Board['pets']): string {
  return pets.get(petId)?.name ?? `Animal ${petId}, removed`;
}
