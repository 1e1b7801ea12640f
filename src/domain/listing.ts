import { foldName } from './name.ts';
import type { Pet, PetStatus } from './pet.ts';
import type { Photo } from './photo.ts';
import {
  type AgeGroup,
  dateText,
  type Profile,
  type PublicProfile,
  type Sex,
  type Size,
  type Species,
} from './profile.ts';

/** Statuses with which an animal may be listed. */
export const LISTED_STATUSES = ['available', 'pending'] as const satisfies readonly PetStatus[];
export type ListedStatus = (typeof LISTED_STATUSES)[number];

/** Why an animal is not listed; `no_photo` is a hint only. */
export const UNLISTED_REASONS = [
  'not_published',
  'sold',
  'no_species',
  'care',
  'no_photo',
] as const;
export type UnlistedReason = (typeof UNLISTED_REASONS)[number];

/** Where an animal may be while it is listed; also where nobody said. */
const LISTED_CARES: readonly Profile['care'][] = [null, 'shelter', 'foster'];

/** Returns whether the public sees an animal. */
export function isListed({ status }: Pick<Pet, 'status'>, profile: Profile): boolean {
  const { published, species, care } = profile;
  return published && status !== 'sold' && species !== null && LISTED_CARES.includes(care);
}

/** Returns every reason why an animal is not listed, and `no_photo` for one without a photo. */
export function unlistedReasons(pet: Pet, profile: Profile, photos: number): UnlistedReason[] {
  const { published, species, care } = profile;
  const holds: Record<UnlistedReason, boolean> = {
    not_published: !published,
    sold: pet.status === 'sold',
    no_species: species === null,
    care: !LISTED_CARES.includes(care),
    no_photo: photos === 0,
  };
  return UNLISTED_REASONS.filter((reason) => holds[reason]);
}

/** Whom an animal gets on with. */
export const COMPANIONS = ['dogs', 'cats', 'children'] as const;
export type Companion = (typeof COMPANIONS)[number];

/** Returns whom an animal is known to get on with: with children unless with none at all. */
export function companionsOf(profile: PublicProfile): Companion[] {
  const { goodWithDogs, goodWithCats, goodWithChildren } = profile;
  const holds: Record<Companion, boolean> = {
    dogs: goodWithDogs === 'yes',
    cats: goodWithCats === 'yes',
    children: goodWithChildren !== null && goodWithChildren !== 'no',
  };
  return COMPANIONS.filter((companion) => holds[companion]);
}

export const LISTING_SORTS = ['fair', 'newest', 'waiting', 'name'] as const;
export type ListingSort = (typeof LISTING_SORTS)[number];

/** A filter of listings. All conditions that are present must hold; of a list of values, any. */
export interface ListingFilter {
  readonly species?: readonly Species[] | undefined;
  readonly sex?: readonly Sex[] | undefined;
  readonly ageGroup?: readonly AgeGroup[] | undefined;
  readonly size?: readonly Size[] | undefined;
  readonly status?: readonly ListedStatus[] | undefined;
  readonly categoryId?: readonly bigint[] | undefined;
  /** All of them. */
  readonly goodWith?: readonly Companion[] | undefined;
  /** Folded words by `wordsOf`: a word of the listing starts with each. */
  readonly words?: readonly string[] | undefined;
}

/** The fields of an animal and its profile that each part of a filter reads. */
const FILTERED: Readonly<Record<keyof ListingFilter, readonly ListingField[]>> = {
  species: ['species'],
  sex: ['sex'],
  ageGroup: ['birthDate', 'ageGroup'],
  size: ['size'],
  status: ['status'],
  categoryId: ['categoryId'],
  goodWith: ['goodWithDogs', 'goodWithCats', 'goodWithChildren'],
  words: ['name', 'breed', 'secondBreed', 'headline', 'description'],
};
const SORTED: Readonly<Record<ListingSort, readonly ListingField[]>> = {
  fair: [],
  newest: [],
  waiting: ['inCareSince'],
  name: ['name'],
};

/** A field that the public sees. */
export type ListingField = Exclude<keyof Pet, 'id'> | keyof PublicProfile;

/** Returns the fields that decide which listed animals a filter leaves, and in which order. */
export function fieldsOfList(filter: ListingFilter, sort: ListingSort): readonly ListingField[] {
  const wanted = (Object.keys(FILTERED) as (keyof ListingFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  return [...wanted.flatMap((name) => FILTERED[name]), ...SORTED[sort]];
}

/** Returns the fields that decide what facets count. */
export function fieldsOfFacets({ words }: ListingFilter): readonly ListingField[] {
  return [...FACETS, ...(words === undefined ? [] : ['words' as const])].flatMap(
    (name) => FILTERED[name],
  );
}

/** What the public sees of an animal. */
export interface Listing {
  readonly pet: Pet;
  readonly profile: Profile;
  readonly photos: readonly Photo[];
  /** When the animal was added, in milliseconds since the Unix epoch. */
  readonly addedAt: number;
}

/** Where a page of listings starts: after the animal that had this key in its order. */
export interface ListingPosition {
  /** What the order sorts by: a place, a date or a folded name; '' for `newest`. */
  readonly key: string;
  readonly petId: bigint;
}

/** A page of listings to read. */
export interface ListingRequest {
  readonly filter: ListingFilter;
  readonly sort: ListingSort;
  readonly after: ListingPosition | undefined;
  readonly limit: number;
  /** The time whose day decides ages and the fair order, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The day whose fair order is read, as `dayOf` counts. */
  readonly fairDay: number;
}

export interface ListingPage {
  readonly items: readonly Listing[];
  /** The animals that decide the page: those on it, and the first after it. */
  readonly read: readonly bigint[];
  /** Where the next page starts; undefined after the last one. */
  readonly next: ListingPosition | undefined;
}

/** The facets: what listings can be filtered and counted by. */
export type Facet = keyof Omit<ListingFilter, 'words'>;

/** Numbers of listings by facet and value. What is not known has no number. */
export type Facets = Readonly<Record<Facet, Readonly<Record<string, number>>>>;

/** Facets, and what they were counted from. */
export interface CountedListings {
  readonly facets: Facets;
  /**
   * The ids of all animals that were listed right before they were counted; undefined if they are many.
   * The service gave them, so numbers are exact.
   */
  readonly listed: readonly number[] | undefined;
}

/** A number of listings that have these values. */
export interface ListingGroup {
  readonly count: number;
  readonly values: Readonly<Record<Facet, readonly (string | bigint)[]>>;
}

const FACETS: readonly Facet[] = [
  'species',
  'sex',
  'ageGroup',
  'size',
  'status',
  'categoryId',
  'goodWith',
];

/** Counts groups of listings by the values of each facet, with the filter of the others alone. */
export function facetsOf(groups: Iterable<ListingGroup>, filter: ListingFilter): Facets {
  const facets = Object.fromEntries(FACETS.map((facet) => [facet, {}])) as Record<
    Facet,
    Record<string, number>
  >;
  for (const { count, values } of groups) {
    const failed = FACETS.filter((facet) => !passes(facet, values[facet], filter[facet]));
    if (failed.length > 1) continue;
    for (const facet of failed.length === 0 ? FACETS : failed) {
      for (const value of values[facet]) {
        facets[facet][`${value}`] = (facets[facet][`${value}`] ?? 0) + count;
      }
    }
  }
  return facets;
}

function passes(
  facet: Facet,
  values: readonly (string | bigint)[],
  wanted: readonly (string | bigint)[] | undefined,
): boolean {
  if (wanted === undefined) return true;
  return facet === 'goodWith'
    ? wanted.every((value) => values.includes(value))
    : wanted.some((value) => values.includes(value));
}

/** The storage contract of listings. */
export interface ListingStorage {
  list(request: ListingRequest): Promise<ListingPage>;
  /** Counts the listings by the values of each facet, with the filter of the others but not its own. */
  facets(filter: ListingFilter, at: number): Promise<CountedListings>;
  /** Returns what `list` shows of one animal, whether listed or not; undefined if it does not exist. */
  find(petId: bigint): Promise<Listing | undefined>;
  /** Returns the ids and names of all listed animals in order of id, `most` of them after the first `skipped`. */
  names(skipped: number, most: number): Promise<readonly Pick<Pet, 'id' | 'name'>[]>;
}

/** What no word contains. A word is cut to what both engines can index. */
const NOT_IN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;
const WORD_MAX = 40;

/** Returns the folded words of texts, each once. */
export function wordsOf(...texts: readonly (string | null)[]): string[] {
  const all = texts.flatMap((text) => (text === null ? [] : foldName(text).split(NOT_IN_WORDS)));
  return [...new Set(all.filter(Boolean).map((word) => [...word].slice(0, WORD_MAX).join('')))];
}

/** Returns the folded words that are asked for. One that another starts with says nothing more. */
export function wordsAsked(text: string): string[] {
  const words = wordsOf(text);
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/** Places of the ring are 0 to this, exclusive. */
export const RING = 2 ** 31;

/** Spreads whole numbers over the ring: the last step of MurmurHash3. */
function spread(n: number): number {
  let hash = n | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 1;
}

/** The place of an animal in the ring of the fair order. */
export function placeOf(petId: bigint): number {
  return spread(Number(BigInt.asUintN(32, petId)));
}

/** Returns how far a place is from the first one of a day. */
export function turnOf(place: number, day: number): number {
  return (place - firstPlace(day) + RING) % RING;
}

/** The place of the ring that comes first on a day: each is as likely as the others. */
export function firstPlace(day: number): number {
  return spread(day ^ 0x5bd1e995);
}

/** The date since which an animal waits. */
export function waitingSince({ inCareSince }: Profile, addedAt: number): string {
  return inCareSince ?? dateText(addedAt);
}

const SLUG_MAX = 60;
/** Pages of an animal besides its own one. */
const OTHER_PAGES = /^(?:card|enquiry|thanks)$/;

/** Returns a name as an address shows it: folded ASCII letters and digits, or `animal` if it has none. */
function slugOf(name: string): string {
  const words = foldName(name).replaceAll(/[^a-z0-9]+/g, '-');
  const slug = words.slice(0, SLUG_MAX).replaceAll(/^-+|-+$/g, '') || 'animal';
  return OTHER_PAGES.test(slug) ? `animal-${slug}` : slug;
}

/** Returns the path of the public page of an animal. */
export function animalAddress({ id, name }: Pick<Pet, 'id' | 'name'>): string {
  return `/adopt/${id}/${slugOf(name)}`;
}
