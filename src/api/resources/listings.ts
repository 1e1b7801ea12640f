import * as z from 'zod';
import { dayOf } from '../../domain/clock.ts';
import { int64FromText } from '../../domain/int64.ts';
import {
  COMPANIONS,
  isListed,
  LISTED_STATUSES,
  LISTING_SORTS,
  type Listing,
  type ListingFilter,
  type ListingSort,
  UNLISTED_REASONS,
  unlistedReasons,
  wordsOf,
} from '../../domain/listing.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import { PAGE_LIMIT_DEFAULT } from '../../domain/page.ts';
import { PHOTOS_MAX } from '../../domain/photo.ts';
import { AGE_GROUPS, SEXES, SIZES, SPECIES } from '../../domain/profile.ts';
import { lists, shows } from '../contract/bodies.ts';
import type { ListingDependency } from '../contract/dependency.ts';
import { keyedCursorInQuery, openCursor, sealCursor } from '../contract/keyed-cursor.ts';
import { invalidCursor, limitInQuery, pageOf, queryPairs } from '../contract/list-page.ts';
import { defineOperation, type Operation } from '../contract/operation.ts';
import {
  int64InPath,
  int64ListInQuery,
  oneOf,
  textInQuery,
  wordsInQuery,
} from '../contract/request-fields.ts';
import { countOut, int64Out, recordOut } from '../contract/response-fields.ts';
import { NO_SUCH_PET, petSchema, petValue } from './pets.ts';
import { photoSchema, photoValue } from './photo-schemas.ts';
import { EXAMPLE_VALUE as PHOTO } from './photos.ts';
import { CHLOE, EXAMPLE_TIME, profileValue, publicProfileSchema } from './profiles.ts';

const SEARCH_MAX = 200;

const filters = {
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
  q: textInQuery(
    'Only animals with a word that starts with each of these words, in name, breed, headline or description, ignoring case and accents.',
    SEARCH_MAX,
  ),
};

type FilterQuery = z.output<z.ZodObject<typeof filters>>;

/** The filter of a query. */
function filterOf({ q, ...lists }: FilterQuery): ListingFilter {
  return { ...lists, words: q === undefined ? undefined : wordsOf(q) };
}

/** The filter as a link repeats it. */
function filterTexts(query: FilterQuery): Record<string, string | undefined> {
  const names = Object.keys(filters) as (keyof FilterQuery)[];
  return Object.fromEntries(names.map((name) => [name, query[name]?.toString()]));
}

function dependsOnDay(at: number): ListingDependency {
  return { resource: 'listing', day: dayOf(at), ids: [] };
}

const listingSchema = recordOut('Listing', 'What the public sees of an animal.', () => ({
  pet: petSchema,
  profile: publicProfileSchema,
  photos: z.array(photoSchema).max(PHOTOS_MAX).meta({ description: 'Its photos, in order.' }),
}));

const EXAMPLE = {
  pet: { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' },
  profile: profileValue(CHLOE, EXAMPLE_TIME, false),
  photos: [PHOTO],
};

/** What cursors hold: the day of the fair order, an id and a key without control characters. */
const POSITION = /^(?<day>\d{1,7}) (?<id>\d{1,19}) (?<key>\P{Cc}*)$/u;
/** A place of the ring. */
const PLACE = /^\d{1,10}$/;

/**
 * The day of the fair order in a cursor, and the position after which the page starts. Anybody can make a
 * cursor, because its checksum is no secret.
 */
function positionIn(cursor: string | undefined, list: string, sort: ListingSort, today: number) {
  if (cursor === undefined) return { fairDay: today, after: undefined };
  const { day, id = '', key = '' } = POSITION.exec(openCursor(cursor, list))?.groups ?? {};
  const petId = int64FromText(id);
  if (petId === undefined || (sort === 'fair' && !PLACE.test(key))) throw invalidCursor();
  return { fairDay: Number(day), after: { petId, key } };
}

const listListings = defineOperation({
  id: 'listListings',
  method: 'GET',
  path: '/listings',
  access: 'read',
  stability: 'experimental',
  cacheable: true,
  tag: 'Listings',
  summary: 'List listings',
  description:
    'Lists the animals that the public sees, with profile and photos: published, with a species, available or pending, and in the shelter or in foster care. The default order, `fair`, starts at another animal each day, so that none is always last; its pages neither skip nor repeat. Follow the Link header for more pages.',
  queryParameters: z.object({
    ...filters,
    sort: oneOf(LISTING_SORTS).optional().meta({
      description:
        '`fair`, the default; `newest` added first; `waiting`, those longest in care first; or by `name`.',
    }),
    limit: limitInQuery,
    cursor: keyedCursorInQuery,
  }),
  success: lists(
    'A page of listings.',
    pageOf(listingSchema, 'Listings', 'Listings in the order that was asked for.'),
    [EXAMPLE],
  ),
  handle({ query, stamp: { at } }, { storage, baseUrl }) {
    const { sort = 'fair', limit = PAGE_LIMIT_DEFAULT } = query;
    const texts = { ...filterTexts(query), sort: query.sort };
    const list = `/listings?${queryPairs(texts).join('&')}`;
    const { fairDay, after } = positionIn(query.cursor, list, sort, dayOf(at));
    const request = { filter: filterOf(query), sort, after, limit, at, fairDay };
    return thenDo(storage.listings.list(request), ({ items, next }) => {
      const pairs = queryPairs({ ...texts, limit: query.limit });
      const first = `<${[`${baseUrl}/listings`, pairs.join('&')].filter(Boolean).join('?')}>; rel="first"`;
      const cursor = next && sealCursor(`${fairDay} ${next.petId} ${next.key}`, list);
      const more = [...pairs, `cursor=${cursor}`].join('&');
      const link = next ? `<${baseUrl}/listings?${more}>; rel="next", ${first}` : first;
      return {
        status: 200,
        value: items.map((listing) => listingValue(listing, at, baseUrl)),
        headers: { link },
        dependsOn: dependsOnDay(at),
      };
    });
  },
});

/** Returns what the public sees of an animal. */
function listingValue({ pet, profile, photos }: Listing, at: number, baseUrl: string) {
  return {
    pet: petValue(pet),
    profile: profileValue(profile, at, false),
    photos: photos.map((photo) => photoValue(photo, baseUrl)),
  };
}

const counts = (values: readonly string[], description: string) =>
  z
    .object(
      Object.fromEntries(
        values.map((value) => [value, countOut(`How many: \`${value}\`.`).optional()]),
      ),
    )
    .meta({ description });

/** The most categories that are counted. */
const CATEGORIES_MAX = 1_000;

const categoryFacetSchema = recordOut('CategoryFacet', 'How many listings a category has.', () => ({
  id: int64Out('Id of the category.'),
  listings: countOut('Its listings.'),
}));

const facetsSchema = recordOut(
  'ListingFacets',
  'Numbers of listings by value. A value without any is left out, and so is what is not known.',
  () => ({
    species: counts(SPECIES, 'By species.'),
    sex: counts(SEXES, 'By sex.'),
    ageGroup: counts(AGE_GROUPS, 'By age.'),
    size: counts(SIZES, 'By size.'),
    status: counts(LISTED_STATUSES, 'By status.'),
    categoryId: z
      .array(categoryFacetSchema)
      .max(CATEGORIES_MAX)
      .meta({
        description: `By category, the largest first: at most ${CATEGORIES_MAX}.`,
      }),
    goodWith: counts(COMPANIONS, 'By whom they get on with.'),
  }),
);

const countListings = defineOperation({
  id: 'countListings',
  method: 'GET',
  path: '/listings/facets',
  access: 'read',
  stability: 'experimental',
  cacheable: true,
  tag: 'Listings',
  summary: 'Count listings',
  description:
    'Counts the listings by each value that one can filter by, for the choices of a search form. Each facet counts with the filters of the others, without its own.',
  queryParameters: z.object(filters),
  success: shows('The numbers.', facetsSchema, {
    species: { dog: 3, cat: 2 },
    sex: { female: 4, male: 1 },
    ageGroup: { young: 2, adult: 3 },
    size: { small: 2, medium: 3 },
    status: { available: 4, pending: 1 },
    categoryId: [
      { id: 1n, listings: 3 },
      { id: 2n, listings: 2 },
    ],
    goodWith: { dogs: 2, children: 4 },
  }),
  handle({ query, stamp: { at } }, { storage }) {
    return thenDo(storage.listings.facets(filterOf(query), at), (counted) => ({
      status: 200,
      value: { ...counted, categoryId: largest(counted.categoryId) },
      dependsOn: dependsOnDay(at),
    }));
  },
});

/** Returns the largest categories. Ids of the same number are in their order. */
function largest(counted: Readonly<Record<string, number>>) {
  return Object.entries(counted)
    .map(([id, listings]) => ({ id: BigInt(id), listings }))
    .sort((a, b) => b.listings - a.listings || (a.id < b.id ? -1 : 1))
    .slice(0, CATEGORIES_MAX);
}

const publicationSchema = recordOut(
  'Publication',
  'Whether the public sees an animal, and why not.',
  () => ({
    listed: z.boolean().meta({ description: 'Whether the public sees the animal.' }),
    reasons: z.array(z.enum(UNLISTED_REASONS)).max(UNLISTED_REASONS.length).meta({
      description:
        'Every reason why not: not `published`, `sold`, without a species, or in another `care`. `no_photo` is a hint: such an animal is listed nevertheless.',
    }),
  }),
);

const getListing = defineOperation({
  id: 'getListing',
  method: 'GET',
  path: '/pets/{petId}/listing',
  access: 'write',
  stability: 'experimental',
  tag: 'Listings',
  summary: 'See whether an animal is listed',
  description: 'Says whether the public sees an animal, and every reason why it does not.',
  pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
  missing: NO_SUCH_PET,
  success: shows('Whether it is listed.', publicationSchema, {
    listed: false,
    reasons: ['not_published', 'no_photo'],
  }),
  handle({ path }, { storage }) {
    return thenDo(storage.listings.find(path.petId), (found) => {
      const { pet, profile, photos } = NO_SUCH_PET.found(found);
      return {
        status: 200,
        value: {
          listed: isListed(pet, profile),
          reasons: unlistedReasons(pet, profile, photos.length),
        },
      };
    });
  },
});

export const listingOperations: readonly Operation[] = [listListings, countListings, getListing];
