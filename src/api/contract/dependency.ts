import { dayOf } from '../../domain/clock.ts';
import {
  type CountedListings,
  fieldsOfFacets,
  fieldsOfList,
  type ListingField,
  type ListingFilter,
  type ListingPage,
  type ListingRequest,
  placeOf,
} from '../../domain/listing.ts';
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
 * What decides a response that shows listings: the day, which decides ages and the fair order, what the
 * public is told about the shop, and animals with their profiles and photos.
 */
export interface ListingDependency {
  readonly resource: 'listing';
  /** As `dayOf` counts. */
  readonly day: number;
  /** The animals that the response was made from: whatever the public sees of them decides it. */
  readonly ids: readonly number[];
  /** How other animals decide it; undefined if they do not. */
  readonly others?: OtherListings | undefined;
}

/** How animals decide a response that they are not on: they may come onto it, or are counted. */
export interface OtherListings {
  /** The fields that decide it while an animal is listed. One that was not, and now is, always may. */
  readonly fields: readonly ListingField[];
  /** The last place that counts in the fair order of a day; undefined: any order, any place. */
  readonly upTo?: { readonly place: number; readonly day: number } | undefined;
  /** Set if animals are counted, so that one that was listed, and now is not, decides the response. */
  readonly counted?:
    | {
        /** The animals that were listed then; undefined if they are many. */
        readonly listed: readonly number[] | undefined;
      }
    | undefined;
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

/** Returns the dependency of a response made at a time from some listings, however others change. */
export function dependsOnAnimals(at: number, ...ids: readonly bigint[]): ListingDependency {
  return { resource: 'listing', day: dayOf(at), ids: ids.map(Number) };
}

/** Returns the dependency of a page of listings. */
export function dependsOnListings(
  { filter, sort, at, fairDay }: ListingRequest,
  { read, next }: ListingPage,
): ListingDependency {
  const isFull = sort === 'fair' && next !== undefined;
  const upTo = isFull ? { place: placeOf(next.petId), day: fairDay } : undefined;
  return { ...dependsOnAnimals(at, ...read), others: { fields: fieldsOfList(filter, sort), upTo } };
}

/** Returns the dependency of facets, beside those of a page with the same filter, if any. */
export function dependsOnFacets(
  at: number,
  filter: ListingFilter,
  { listed }: CountedListings,
  page: ListingDependency = dependsOnAnimals(at),
): ListingDependency {
  const fields = [...fieldsOfFacets(filter), ...(page.others?.fields ?? [])];
  return { ...page, others: { fields: [...new Set(fields)], counted: { listed } } };
}

function before(id: bigint | undefined): number {
  return id === undefined ? Infinity : Number(id) - 1;
}
