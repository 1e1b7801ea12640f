import { dayOf } from '../../domain/clock.ts';
import { type CountFacets, facetsOf, type ListingGroup } from '../../domain/facets.ts';
import type { ListingFilter } from '../../domain/listing-filter.ts';
import type { Storage } from '../../domain/storage.ts';

/** Searches whose counts are kept. Anybody can send others, which are counted each time. */
const SEARCHES_MAX = 16;

/**
 * Creates the counting of facets. To count is the dearest part of a list, and its result is the same for every
 * combination of filters, page and order: it is shared until anything changes, in any process, or the day ends.
 */
export function createFacets({
  listings,
  trackChanges,
}: Pick<Storage, 'listings' | 'trackChanges'>): CountFacets {
  const kept = new Map<string, Promise<readonly ListingGroup[]>>();
  const tracker = trackChanges(() => kept.clear());

  function count(filter: ListingFilter, at: number, name: string) {
    const groups = listings.groups(filter, at);
    if (kept.size >= SEARCHES_MAX) kept.clear();
    kept.set(name, groups);
    groups.catch(() => kept.delete(name));
    return groups;
  }

  return async (filter, at) => {
    const isKnown = await tracker.catchUp();
    const name = JSON.stringify([dayOf(at), filter.words, filter.breed]);
    const groups = isKnown
      ? (kept.get(name) ?? count(filter, at, name))
      : listings.groups(filter, at);
    return facetsOf(await groups, filter);
  };
}
