import * as z from 'zod';
import { SEARCH_WORDS } from '../../adopt/search-words.ts';
import { dayOf } from '../../domain/clock.ts';
import { int64FromText } from '../../domain/int64.ts';
import {
  LISTING_SORTS,
  type Listing,
  type ListingSort,
  type ListingStorage,
} from '../../domain/listing.ts';
import {
  CHILD_AGES,
  COMPANIONS,
  LISTED_STATUSES,
  type ListingFilter,
  wordsAsked,
  wordsOf,
} from '../../domain/listing-filter.ts';
import { PAGE_LIMIT_DEFAULT } from '../../domain/page.ts';
import { AGE_GROUPS, SEXES, SIZES, SPECIES } from '../../domain/profile.ts';
import {
  invalidCursor,
  keyedCursorInQuery,
  limitInQuery,
  listName,
  openCursor,
  sealCursor,
} from '../contract/list-page.ts';
import {
  int64ListInQuery,
  oneOf,
  searchInQuery,
  textInQuery,
  wordsInQuery,
} from '../contract/request-fields.ts';

const BREED_MAX = 100;

/** The filters of listings in a query. */
export const listingFilters = {
  species: wordsInQuery(SPECIES, 'Only animals of these species, comma-separated or repeated.'),
  sex: wordsInQuery(SEXES, 'Only animals of these sexes.'),
  ageGroup: wordsInQuery(AGE_GROUPS, 'Only animals of these ages.'),
  size: wordsInQuery(SIZES, 'Only animals of these sizes.'),
  status: wordsInQuery(
    LISTED_STATUSES,
    'Only animals with these statuses: `pending` ones are reserved.',
  ),
  categoryId: int64ListInQuery('Only animals of these categories.'),
  goodWith: wordsInQuery(
    COMPANIONS,
    'Only animals that get on with all of these. What is not known does not count.',
  ),
  children: oneOf(CHILD_AGES).optional().meta({
    description:
      'Only animals that are known to fit a home whose youngest child is `under_5`, from `5` or from `12` years old.',
  }),
  breed: textInQuery(
    'Only animals with a breed that has a word that starts with each of these words, ignoring case and accents.',
    BREED_MAX,
    'labrador',
  ),
  q: searchInQuery(
    'Only animals with a word that starts with each of these words, in name, breed, headline or description, ignoring case and accents; or that are what a word says, in any language of the pages: `kitten`, `Hund`, `hembra`.',
    'calm',
  ),
};

type FilterQuery = z.output<z.ZodObject<typeof listingFilters>>;

/** The filter of a query. */
export function filterOf({ q, children, breed, ...lists }: FilterQuery): ListingFilter {
  return {
    ...lists,
    children: children && [children],
    breed: breed === undefined ? undefined : wordsOf(breed),
    words: q === undefined ? undefined : wordsAsked(q, SEARCH_WORDS),
  };
}

/** The filter as a link repeats it. */
function filterTexts(query: FilterQuery): Record<string, string | undefined> {
  const names = Object.keys(listingFilters) as (keyof FilterQuery)[];
  return Object.fromEntries(names.map((name) => [name, query[name]?.toString()]));
}

/** What cursors hold: the day of the fair order, an id and a key without control characters. */
const POSITION = /^(?<day>\d{1,7}) (?<id>\d{1,19}) (?<key>\P{Cc}*)$/u;
/** The keys that are not just text: `fair` has a group and a place in its turn, `newest` a time. */
const KEYS: Readonly<Partial<Record<ListingSort, RegExp>>> = {
  fair: /^[0-5] \d{1,10}$/,
  newest: /^\d{1,16}$/,
};

/**
 * The day of the fair order in a cursor, and the position after which the page starts. Anybody can make a
 * cursor, because its checksum is no secret.
 */
function positionIn(cursor: string | undefined, list: string, sort: ListingSort, today: number) {
  if (cursor === undefined) return { fairDay: today, after: undefined };
  const { day, id = '', key = '' } = POSITION.exec(openCursor(cursor, list))?.groups ?? {};
  const petId = int64FromText(id);
  if (petId === undefined || KEYS[sort]?.test(key) === false) throw invalidCursor();
  return { fairDay: Number(day), after: { petId, key } };
}

/** The query of a list of listings. */
export const listingQuery = z.object({
  ...listingFilters,
  sort: oneOf(LISTING_SORTS).optional().meta({
    description:
      '`fair`, the default: those that fit `q` best, in each case those that are free before the reserved ones, in a turn that starts with another one each day; `newest`, those that the public could see last (again) first; `waiting`, those longest in care first; or by `name`.',
  }),
  limit: limitInQuery,
  cursor: keyedCursorInQuery,
});
export type ListingQuery = z.output<typeof listingQuery>;

/** The query as a link to another page repeats it, but for the limit. */
export function listingTexts(query: ListingQuery) {
  return { ...filterTexts(query), sort: query.sort };
}

/** Reads a page of listings, with the cursor of the next one, if there is one. Throws `invalid_cursor`. */
export async function readListings(
  storage: Pick<ListingStorage, 'list'>,
  query: ListingQuery,
  at: number,
): Promise<{ readonly items: readonly Listing[]; readonly cursor: string | undefined }> {
  const { sort = 'fair', limit = PAGE_LIMIT_DEFAULT } = query;
  const list = listName('/listings', listingTexts(query), 'fair');
  const { fairDay, after } = positionIn(query.cursor, list, sort, dayOf(at));
  const request = { filter: filterOf(query), sort, after, limit, at, fairDay };
  const { items, next } = await storage.list(request);
  const cursor = next && sealCursor(`${fairDay} ${next.petId} ${next.key}`, list);
  return { items, cursor };
}
