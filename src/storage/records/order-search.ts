import { foldName } from '../../domain/name.ts';
import type { Order, OrderQuery, OrderSearch, OrderStatus } from '../../domain/order.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { processorMs } from '../lists.ts';
import { isTextIn, type Sql, sql, type Work } from '../statements.ts';

/** Reads a text that may be absent. */
export const optional = (cell: string | null) => cell ?? undefined;
const optionalTime = (cell: bigint | null) => (cell === null ? undefined : Number(cell));
export const ORDER = fieldsOf({
  id: plain<bigint>(),
  petId: plain<bigint>(),
  adopter: optional,
  contact: optional,
  note: optional,
  returnReason: optional,
  answers: optional,
  status: plain<OrderStatus>(),
  placedAt: number,
  approvedAt: optionalTime,
  completedAt: optionalTime,
  cancelledAt: optionalTime,
  updatedAt: number,
  returnedAt: optionalTime,
});

/** The most orders that one page reads, and the number between two checks of the time. */
const PAGE_ROWS = 2_000n;
const SLICE_ROWS = 100n;
/** The processor time after which a page ends early: the longest texts take a hundred times as long. */
const PAGE_MS = 6;

/** An order, and the name of its animal if it is still there. */
interface Candidate {
  readonly order: Order;
  readonly animal: string | null;
}

const COLUMNS = ORDER.columns
  .split(', ')
  .map((column) => `orders.${column}`)
  .join(', ');

const candidates = (range: Sql, order: Sql, step: OrderStatus) =>
  sql`SELECT ${COLUMNS}, pets.name AS animal FROM orders LEFT JOIN pets ON pets.id = pet_id
      WHERE ${range} AND ${step}_at >= $3 AND ${step}_at < $4
        AND (CAST($5 AS text) IS NULL OR orders.status ${isTextIn('$5')})
        AND (CAST($6 AS bigint) IS NULL OR pet_id = CAST($6 AS bigint))
      ORDER BY orders.id ${order}`.as(
    ({ animal, ...row }: { readonly animal: string | null }): Candidate => ({
      order: ORDER.of(row),
      animal,
    }),
  );

const oldestFirst = (step: OrderStatus) =>
  candidates(sql`orders.id > $1 AND orders.id <= $2`, sql``, step);
const newestFirst = (step: OrderStatus) =>
  candidates(sql`orders.id < $1 AND orders.id >= $2`, sql`DESC`, step);
const NEWEST = sql`SELECT max(id) AS id FROM orders`.value((id: bigint | null) => id ?? 0n);

/** Returns whether a query needs more than the columns that have an index. */
export function isSearch({ from, to, search }: OrderQuery): boolean {
  return from !== undefined || to !== undefined || search !== undefined;
}

/** Returns a page of the orders that took a step in a time, or that words are found in. */
export function* searchOrders(
  { status, petId, sort, step = 'placed', search, ...times }: OrderQuery,
  { afterId, limit }: PageRequest,
): Work<Page<Order>> {
  const endsAt = processorMs() + PAGE_MS;
  const newest = (yield* NEWEST.one()) ?? 0n;
  const isDescending = sort === 'newest';
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = times;
  const inSlice = isDescending ? newestFirst(step) : oldestFirst(step);
  const last = isDescending ? 0n : newest;
  const found: Order[] = [];
  let start = afterId ?? (isDescending ? newest + 1n : 0n);
  for (let rows = 0n; rows < PAGE_ROWS; rows += SLICE_ROWS) {
    // A forged cursor may have any id.
    const next = isDescending ? start - SLICE_ROWS : start + SLICE_ROWS;
    const end = isDescending === next > last ? next : last;
    const values = [start, end, from, to, status ? JSON.stringify(status) : null, petId ?? null];
    const read = yield* inSlice.all(...values);
    found.push(...read.filter((one) => matches(one, search)).map(({ order }) => order));
    if (end === last || found.length > limit) return pageOf(found, limit);
    start = end;
    if (processorMs() > endsAt) break;
  }
  return { items: found, more: true, resumeAfter: start };
}

function matches({ order, animal }: Candidate, search: OrderSearch | undefined): boolean {
  if (search === undefined) return true;
  const { adopter, contact } = order;
  const searched = search.withPersonal ? [animal, adopter, contact] : [animal];
  const text = foldName(searched.filter((part) => part != null).join('\n'));
  return search.words.every((word) => text.includes(word));
}
