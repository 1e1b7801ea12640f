/** The orders on the board, and their animals. */
import { collect, loadPets, type Order, type OrderStatus, type Pet, store } from '../../service.ts';
import { COLUMNS, type ColumnKind } from './moves.ts';

/** Orders that a column shows at first, and that "Show more" adds. */
export const COLUMN_STEP = 20;
/** The most orders that one request may ask for. */
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

/** How many orders each column shows, if more than at first. */
export type Shown = { readonly [Status in OrderStatus]?: number };

export async function loadBoard(shown: Shown, signal: AbortSignal): Promise<Board> {
  const contents = await Promise.all(
    COLUMNS.map(async (kind) => [kind.status, await loadColumn(kind, shown, signal)] as const),
  );
  const orders = contents.flatMap(([, content]) => content.orders);
  const pets = await loadPets(orders, signal);
  // COLUMNS has each status once.
  return { columns: Object.fromEntries(contents) as Board['columns'], pets };
}

async function loadColumn(
  { status, sort }: ColumnKind,
  shown: Shown,
  signal: AbortSignal,
): Promise<ColumnContent> {
  const wanted = shown[status] ?? COLUMN_STEP;
  const limit = Math.min(wanted + 1, PAGE_MAX);
  const list = store.orders.list({ status, sort, limit }, { signal });
  const orders = await collect(list, wanted + 1);
  return { orders: orders.slice(0, wanted), hasMore: orders.length > wanted };
}
