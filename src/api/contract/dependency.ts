import type { Page, PageRequest } from '../../domain/page.ts';
import type { PetFilter } from '../../domain/pet.ts';

/**
 * The records that decide a response: within a range of ids, those that the response was made from,
 * and any that passes the filter after a change. What a record was before a change does not matter:
 * if it passed the filter then, the response was made from it.
 *
 * Assigned ids fit in a `number`, which compares many times faster than a `bigint`.
 */
export interface RecordDependency {
  readonly resource: 'pet' | 'category';
  /** The range of ids; both ends belong to it. */
  readonly lowestId: number;
  readonly highestId: number;
  /** The ids of the records that the response was made from. */
  readonly ids: readonly number[];
  readonly filter: PetFilter;
}

/**
 * What decides a response that shows listings: all animals with their profiles and photos, since any may
 * be listed, and the day, which decides ages and the fair order.
 */
export interface ListingDependency {
  readonly resource: 'listing';
  /** As `dayOf` counts. */
  readonly day: number;
  readonly ids: readonly [];
}

/** What decides a response. */
export type Dependency = RecordDependency | ListingDependency;

/** Returns the dependency of a response that shows a single record. */
export function dependsOnRecord(
  resource: RecordDependency['resource'],
  id: bigint,
): RecordDependency {
  const number = Number(id);
  return { resource, lowestId: number, highestId: number, ids: [number], filter: {} };
}

/** The bounds of a list without a filter by id. */
const EVERY_ID = [-Infinity, Infinity];

/**
 * Returns the dependency of a page. Only the last page of an ascending list, or the first one of a
 * descending list, depends on what is added later.
 */
export function dependsOnPage(
  resource: RecordDependency['resource'],
  filter: PetFilter,
  { afterId, isDescending }: PageRequest,
  { items, nextId, resumeAfter }: Page<{ readonly id: bigint }>,
): RecordDependency {
  const ids = items.map(({ id }) => Number(id));
  // Its removal can make this page the last one, which has no link to a next page.
  if (nextId !== undefined) ids.push(Number(nextId));
  const end = nextId ?? resumeAfter;
  const wanted = filter.ids?.map(Number) ?? EVERY_ID;
  const start = isDescending ? before(afterId) : Number(afterId ?? 0n) + 1;
  const limit = end === undefined ? undefined : Number(end);
  const [lowest, highest] = isDescending ? [limit ?? -Infinity, start] : [start, limit ?? Infinity];
  return {
    resource,
    lowestId: Math.max(lowest, Math.min(...wanted)),
    highestId: Math.min(highest, Math.max(...wanted)),
    ids,
    filter,
  };
}

function before(id: bigint | undefined): number {
  return id === undefined ? Infinity : Number(id) - 1;
}
