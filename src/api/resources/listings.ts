import * as z from 'zod';
import { animalAddress } from '../../domain/animal-address.ts';
import { BREEDS_MAX } from '../../domain/facets.ts';
import {
  isListed,
  type Listing,
  type ListingStorage,
  UNLISTED_REASONS,
  unlistedReasons,
} from '../../domain/listing.ts';
import { CHILD_AGES, COMPANIONS, LISTED_STATUSES } from '../../domain/listing-filter.ts';
import { PHOTOS_MAX } from '../../domain/photo.ts';
import { AGE_GROUPS, PUBLIC_FIELDS, SEXES, SIZES, SPECIES } from '../../domain/profile.ts';
import { lists, shows } from '../contract/bodies.ts';
import { pageLinks, pageOf, queryPairs } from '../contract/list-page.ts';
import {
  defineOperation,
  type HandlerServices,
  operationsNamed,
  type Result,
} from '../contract/operation.ts';
import { int64InPath } from '../contract/request-fields.ts';
import {
  countOut,
  int64Out,
  nameOut,
  recordOut,
  timeOut,
  timeText,
} from '../contract/response-fields.ts';
import {
  filterOf,
  type ListingQuery,
  listingFilters,
  listingQuery,
  listingTexts,
  readListings,
} from './listing-query.ts';
import { NO_SUCH_PET, petSchema, petValue } from './pets.ts';
import { photoSchema, photoValue } from './photo-schemas.ts';
import { EXAMPLE_VALUE as PHOTO } from './photos.ts';
import { CHLOE, EXAMPLE_TIME, profileValue, publicProfileSchema } from './profiles.ts';

const urlOut = z.string().nullable().meta({
  description:
    'The address of its page for the public; null if it is not listed, or the pages are turned off.',
  format: 'uri',
  maxLength: 2_000,
});

const listingSchema = recordOut('Listing', 'What the public sees of an animal.', () => ({
  pet: petSchema,
  profile: publicProfileSchema,
  photos: z.array(photoSchema).max(PHOTOS_MAX).meta({ description: 'Its photos, in order.' }),
  listedAt: timeOut('When the public could first see it, or see it again after it was away'),
  url: urlOut,
}));

const EXAMPLE = {
  pet: { id: 28n, name: 'Chloe', categoryId: 1n, status: 'available' },
  profile: profileValue(CHLOE, EXAMPLE_TIME, false),
  photos: [PHOTO],
  listedAt: timeText(EXAMPLE_TIME),
  url: 'https://api.petstore.example/adopt/28/chloe',
};

/** What the writing of listings needs. */
type ListingServices = Pick<HandlerServices, 'baseUrl' | 'pagesRoot'> & {
  readonly storage: { readonly listings: Pick<ListingStorage, 'list'> };
};

/** Returns a page of listings, with links to others at an address. */
export async function listingResult(
  query: ListingQuery,
  at: number,
  { storage, baseUrl, pagesRoot }: ListingServices,
  address: string,
) {
  const { items, cursor } = await readListings(storage.listings, query, at);

  const pairs = queryPairs({ ...listingTexts(query), limit: query.limit });
  const link = pageLinks(address, pairs, cursor && `cursor=${cursor}`);
  return {
    value: items.map((listing) => listingValue(listing, at, baseUrl, pagesRoot)),
    headers: { link },
  } satisfies Result;
}

const common = { stability: 'experimental', tag: 'Listings' } as const;

/** Returns what the public sees of an animal. */
function listingValue(
  { pet, profile, photos, listedAt }: Listing,
  at: number,
  baseUrl: string,
  pagesRoot: string | null,
) {
  return {
    pet: petValue(pet),
    profile: profileValue(profile, at, false),
    photos: photos.map((photo) => photoValue(photo, baseUrl)),
    listedAt: timeText(listedAt ?? 0),
    url: pagesRoot && pagesRoot + animalAddress(pet),
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

const breedFacetSchema = recordOut('BreedFacet', 'How many listings have a breed.', () => ({
  breed: nameOut('The breed, as it is written.', PUBLIC_FIELDS.breed.max),
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
    children: counts(CHILD_AGES, 'By the age of the youngest child whom they fit.'),
    breed: z
      .array(breedFacetSchema)
      .max(BREEDS_MAX)
      .meta({ description: `By breed, the largest first: at most ${BREEDS_MAX}.` }),
  }),
);

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
    url: urlOut,
  }),
);

export const listingOperations = operationsNamed({
  listListings: defineOperation({
    ...common,
    method: 'GET',
    path: '/listings',
    access: 'read',
    cacheable: true,
    summary: 'List listings',
    description:
      'Lists the animals that the public sees, with profile and photos: published, with a species, available or pending, and in the shelter or in foster care. The default order, `fair`, starts at another animal each day, so that none is always last, and has the reserved ones after the others; its pages neither skip nor repeat. Follow the Link header for more pages.',
    queryParameters: listingQuery,
    success: lists(
      'A page of listings.',
      pageOf(listingSchema, 'Listings', 'Listings in the order that was asked for.'),
      [EXAMPLE],
    ),
    handle: ({ query, stamp: { at } }, services) =>
      listingResult(query, at, services, `${services.baseUrl}/listings`),
  }),
  countListings: defineOperation({
    ...common,
    method: 'GET',
    path: '/listings/facets',
    access: 'read',
    cacheable: true,
    summary: 'Count listings',
    description:
      'Counts the listings by each value that one can filter by, for the choices of a search form. A number is how many animals with that value the list would show with the filters that are set. Of `goodWith` all values must hold, of the others any: so these leave out their own filter.',
    queryParameters: z.object(listingFilters),
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
      goodWith: { dogs: 2, children: 1 },
      children: { under_5: 1, '5': 3, '12': 4 },
      breed: [{ breed: 'Labrador Retriever', listings: 2 }],
    }),
    async handle({ query, stamp: { at } }, { storage, countFacets }) {
      const filter = filterOf(query);
      const [facets, breeds] = await Promise.all([
        countFacets(filter, at),
        storage.listings.breeds(filter, at),
      ]);
      return {
        value: {
          ...facets,
          categoryId: largest(facets.categoryId),
          breed: breeds.map((one) => ({ ...one })),
        },
      };
    },
  }),
  getListing: defineOperation({
    ...common,
    method: 'GET',
    path: '/pets/{petId}/listing',
    access: 'write',
    summary: 'See whether an animal is listed',
    description: 'Says whether the public sees an animal, and every reason why it does not.',
    pathParameters: z.object({ petId: int64InPath('Id of the animal.') }),
    missing: NO_SUCH_PET,
    success: shows('Whether it is listed.', publicationSchema, {
      listed: false,
      reasons: ['not_published', 'no_photo'],
      url: null,
    }),
    async handle({ path }, { storage, pagesRoot }) {
      const found = NO_SUCH_PET.orThrow(await storage.listings.find(path.petId));
      const { pet, profile, photos } = found;
      const listed = isListed(pet, profile);
      return {
        value: {
          listed,
          reasons: unlistedReasons(pet, profile, photos.length),
          url: listed && pagesRoot !== null ? pagesRoot + animalAddress(pet) : null,
        },
      };
    },
  }),
});
