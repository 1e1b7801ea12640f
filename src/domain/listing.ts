import type { BreedCount, ListingGroup } from './facets.ts';
import type { ListingFilter } from './listing-filter.ts';
import type { Pet } from './pet.ts';
import type { Photo } from './photo.ts';
import { dateText, type Profile } from './profile.ts';

/** Why an animal is not listed; `no_photo` is a hint only. */
export const UNLISTED_REASONS = [
  'not_published',
  'sold',
  'no_species',
  'care',
  'no_photo',
] as const;
type UnlistedReason = (typeof UNLISTED_REASONS)[number];

/** Where an animal may be while it is listed; null if that is unknown. */
export const LISTED_CARES: readonly Profile['care'][] = [null, 'shelter', 'foster'];

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

export const LISTING_SORTS = ['fair', 'newest', 'waiting', 'name'] as const;
export type ListingSort = (typeof LISTING_SORTS)[number];

/** What the public sees of an animal. */
export interface Listing {
  readonly pet: Pet;
  readonly profile: Profile;
  readonly photos: readonly Photo[];
  /** When the public could first see it, or see it again, in milliseconds since the Unix epoch; null if it cannot. */
  readonly listedAt: number | null;
  /** When what the public sees of it last changed. */
  readonly shownAt: number | null;
}

/** Where a page of listings starts: after the animal that had this key in its order. */
export interface ListingPosition {
  /** What the order sorts by: a group and a place, a date, a folded name or a time. */
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
  /** Where the next page starts; undefined after the last one. */
  readonly next: ListingPosition | undefined;
}

/** What a list of addresses says of an animal. */
export interface ListedName extends Pick<Pet, 'id' | 'name'> {
  readonly shownAt: number;
  readonly photos: readonly Photo[];
}

/** The storage contract of listings. */
export interface ListingStorage {
  list(request: ListingRequest): Promise<ListingPage>;
  /** Counts the listings with these words and breed by all values that facets have: see `facetsOf`. */
  groups(
    filter: Pick<ListingFilter, 'words' | 'breed'>,
    at: number,
  ): Promise<readonly ListingGroup[]>;
  /** Returns the breeds as they are written, the most frequent first, with the filter of everything but the breed. */
  breeds(filter: ListingFilter, at: number): Promise<readonly BreedCount[]>;
  /** Returns what `list` shows of one animal, whether listed or not; undefined if it does not exist. */
  find(petId: bigint): Promise<Listing | undefined>;
  /** Returns all listed animals in order of id, `most` of them after the first `skipped`. */
  names(skipped: number, most: number): Promise<readonly ListedName[]>;
}

/** The number of places in the ring: 0 to RING - 1. */
export const RING = 2 ** 31;

/** Spreads integers over the ring: the finalizer of MurmurHash3. */
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
