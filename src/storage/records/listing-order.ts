import { INT64_MAX } from '../../domain/int64.ts';
import {
  firstPlace,
  type ListingPosition,
  type ListingRequest,
  type ListingSort,
  turnOf,
} from '../../domain/listing.ts';
import { LISTED_STATUSES, type ListingFilter } from '../../domain/listing-filter.ts';
import { type Sql, sql, type Work } from '../statements.ts';
import { conditionsOf, every, Parameters, rankOf, sourceOf } from './listing-conditions.ts';
import { type PositionRow, positionOf, positionsAfter, sortedAfter } from './positions.ts';

/** What each order sorts by before the id. */
const KEYS: Readonly<Record<ListingSort, string>> = {
  fair: 'place',
  name: 'name',
  waiting: 'since',
  newest: 'listed_at',
};

/** As many animals as are rather sorted than looked for in the order of an index. */
const FEW = 200;

/**
 * The groups of the fair order, one after the other: those that fit the words best, and in each rank the free
 * animals before the reserved ones.
 */
const RANKS = [0, 1, 2];
const groupsIn = ({ words = [], status }: ListingFilter) =>
  (words.length === 0 ? [0] : RANKS).flatMap((rank) =>
    LISTED_STATUSES.filter((one) => status === undefined || status.includes(one)).map((one) => ({
      group: rank * LISTED_STATUSES.length + LISTED_STATUSES.indexOf(one),
      rank,
      status: one,
    })),
  );

/** A key of the fair order has the group and the place. */
const fairKey = (group: number | bigint, place: string) => `${group} ${place}`;
function partsOf(key: string): { readonly group: number; readonly place: number } {
  const [group, place] = key.split(' ').map(Number);
  return { group: group ?? 0, place: place ?? 0 };
}

/** Returns the positions of all animals that a filter leaves, in any order; undefined if they are many. */
function* fewPositions({ filter, sort, at }: ListingRequest): Work<ListingPosition[] | undefined> {
  const parameters = new Parameters();
  const conditions = conditionsOf(filter, at, parameters, true);
  if (conditions.length === 0) return undefined;
  const { words = [] } = filter;
  const rank = words.length === 0 || sort !== 'fair' ? '0' : rankOf(words, at, parameters);
  const reserved = `CASE status WHEN 'available' THEN 0 ELSE 1 END`;
  const text = sql`SELECT pet_id AS id, ${KEYS[sort]} AS key,
      CAST(${LISTED_STATUSES.length} * (${rank}) + ${reserved} AS bigint) AS "group"
    FROM ${sourceOf(filter)} WHERE ${every(conditions)}
    LIMIT ${parameters.take(FEW)}`;
  const position = (row: PositionRow & { readonly group: bigint }) => {
    const found = positionOf(row);
    return sort === 'fair' ? { ...found, key: fairKey(row.group, found.key) } : found;
  };
  const found = yield* text.as(position).all(...parameters.values);
  return found.length < FEW ? found : undefined;
}

/** Sorts positions as the database would: text by its bytes. */
function sorted(positions: readonly ListingPosition[], { sort, fairDay }: ListingRequest) {
  function order(one: string, other: string): number {
    if (sort === 'newest') return Number(other) - Number(one);
    if (sort !== 'fair') return Buffer.compare(Buffer.from(one), Buffer.from(other));
    const [a, b] = [partsOf(one), partsOf(other)];
    return a.group - b.group || turnOf(a.place, fairDay) - turnOf(b.place, fairDay);
  }
  const sign = sort === 'newest' ? -1 : 1;
  const compare = (one: ListingPosition, other: ListingPosition) =>
    order(one.key, other.key) || sign * Number(one.petId - other.petId);
  return { compare, positions: positions.toSorted(compare) };
}

/** Returns at most `limit` positions after one, with more conditions than those of the filter. */
function listedAfter(
  { filter, sort, at }: Pick<ListingRequest, 'filter' | 'sort' | 'at'>,
  start: { readonly key: string | bigint; readonly petId: bigint },
  limit: number,
  more: (parameters: Parameters) => Sql[] = () => [],
) {
  const parameters = new Parameters();
  const conditions = [...conditionsOf(filter, at, parameters, false), ...more(parameters)];
  const order = { table: 'listings', column: KEYS[sort] } as const;
  return positionsAfter(order, start, conditions, parameters, limit);
}

/** Reads positions of one group of the fair order: the ring from its first place of the day, and then the rest. */
function* ringPositions(
  request: ListingRequest,
  { group, rank, status }: ReturnType<typeof groupsIn>[number],
  limit: number,
): Work<ListingPosition[]> {
  const { filter, sort, at, fairDay, after } = request;
  const { words = [] } = filter;
  const own = { filter: { ...filter, status: [status] }, sort, at };
  const isRank = (parameters: Parameters) =>
    words.length === 0 ? [] : [sql`${rankOf(words, at, parameters)} = ${rank}`];
  const first = firstPlace(fairDay);
  const start =
    after !== undefined && partsOf(after.key).group === group
      ? { key: BigInt(partsOf(after.key).place), petId: after.petId }
      : { key: BigInt(first), petId: 0n };
  const isRest = start.key < BigInt(first);
  const found = isRest ? [] : yield* listedAfter(own, start, limit, isRank);
  const rest = isRest ? start : { key: -1n, petId: 0n };
  const isBefore = (parameters: Parameters) => [
    ...isRank(parameters),
    sql`place < ${parameters.take(first)}`,
  ];
  if (found.length < limit) {
    found.push(...(yield* listedAfter(own, rest, limit - found.length, isBefore)));
  }
  return found.map(({ key, petId }) => ({ key: fairKey(group, key), petId }));
}

/** Reads the positions of a page. */
export function* positionsOf(request: ListingRequest, limit: number): Work<ListingPosition[]> {
  const { filter, sort, after } = request;
  const few = yield* fewPositions(request);
  if (few !== undefined) {
    const { compare, positions } = sorted(few, request);
    return sortedAfter(positions, after, compare, limit);
  }
  if (sort === 'fair') {
    const from = after === undefined ? 0 : partsOf(after.key).group;
    const found: ListingPosition[] = [];
    for (const group of groupsIn(filter)) {
      if (group.group < from || found.length === limit) continue;
      found.push(...(yield* ringPositions(request, group, limit - found.length)));
    }
    return found;
  }
  if (sort === 'newest') {
    const start = { key: BigInt(after?.key ?? INT64_MAX), petId: after?.petId ?? INT64_MAX };
    return yield* listedAfter(request, start, limit);
  }
  return yield* listedAfter(request, after ?? { key: '', petId: 0n }, limit);
}
