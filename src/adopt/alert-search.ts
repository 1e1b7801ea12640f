import { filterOf } from '../api/resources/listing-query.ts';
import { type Alert, LISTED_FOR_MS, TOLD_MAX } from '../domain/alert.ts';
import { animalAddress } from '../domain/animal-address.ts';
import { dayOf } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { Listing, ListingStorage } from '../domain/listing.ts';
import { searchText } from './alerts.ts';
import { shortFacts } from './facts.ts';
import { messagesIn, namedLanguage } from './languages.ts';
import { listAddress } from './list.ts';
import { queryOf, shownTexts } from './list-pages.ts';

/** The longest search of an alert. */
const SEARCH_MAX = 500;
/** Animals that are read to count those of a mail. */
const COUNTED_MAX = 100;

/** Returns the search in a query in its one form; undefined if the list cannot be searched like that. */
export function searchIn(query: string): string | undefined {
  try {
    const { sort: _, ...texts } = shownTexts({ ...queryOf({ query }), cursor: undefined });
    const [, search = ''] = listAddress(texts).split('?');
    return search.length > SEARCH_MAX ? undefined : search;
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return undefined;
    throw error;
  }
}

/** Says what a search finds. */
export function searchTextIn(search: string, language: string): string {
  return searchText(search, messagesIn(namedLanguage(language) ?? 'en'));
}

/** Finds the free animals of a search that were listed after a time; undefined if none was. */
export async function findListedSince(
  listings: Pick<ListingStorage, 'list'>,
  root: string,
  { search, seenAt }: Pick<Alert, 'search' | 'seenAt'>,
  language: string,
  at: number,
) {
  const filter = { ...filterOf(queryOf({ query: search })) };
  const request = { sort: 'newest', after: undefined, limit: COUNTED_MAX, at } as const;
  const { items } = await listings.list({
    ...request,
    filter: { ...filter, status: filter.status ?? ['available'] },
    fairDay: dayOf(at),
  });
  const isNew = ({ listedAt }: Listing) =>
    listedAt !== null && listedAt > seenAt && listedAt <= at - LISTED_FOR_MS;
  const found = items.filter(isNew);
  const newestAt = Math.max(...found.map(({ listedAt }) => listedAt ?? 0));
  if (found.length === 0) return undefined;
  const t = messagesIn(namedLanguage(language) ?? 'en');
  const animals = found.slice(0, TOLD_MAX).map(({ pet, profile }) => ({
    name: pet.name,
    facts: shortFacts(profile, at, t),
    url: `${root}${animalAddress(pet)}?lang=${language}`,
  }));
  return { count: found.length, animals, newestAt };
}
