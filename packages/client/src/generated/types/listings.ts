// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Pet } from './shared.ts';
import type { Photo, PublicProfile } from './shared-profiles.ts';
import type { AgeGroup, Sex, Size, Species } from './shared-words.ts';

/** What the public sees of an animal. */
export interface Listing {
  pet: Pet;
  profile: PublicProfile;
  /** Its photos, in order. */
  photos: readonly Photo[];
  /** When the public could first see it, or see it again after it was away, in UTC. */
  listedAt: string;
  /**
   * The address of its page for the public; null if it is not listed, or the pages are turned off.
   */
  url: string | null;
}

/** Numbers of listings by value. A value without any is left out, and so is what is not known. */
export interface ListingFacets {
  /** By species. */
  species: Partial<Record<Species, number>>;
  /** By sex. */
  sex: Partial<Record<Sex, number>>;
  /** By age. */
  ageGroup: Partial<Record<AgeGroup, number>>;
  /** By size. */
  size: Partial<Record<Size, number>>;
  /** By status. */
  status: {
    /** How many: `available`. */
    available?: number | undefined;
    /** How many: `pending`. */
    pending?: number | undefined;
  };
  /** By category, the largest first: at most 1000. */
  categoryId: readonly CategoryFacet[];
  /** By whom they get on with. */
  goodWith: Partial<Record<GoodWith, number>>;
  /** By the age of the youngest child whom they fit. */
  children: Partial<Record<Children, number>>;
  /** By breed, the largest first: at most 100. */
  breed: readonly BreedFacet[];
}

/** How many listings a category has. */
export interface CategoryFacet {
  /** Id of the category. */
  id: Int64;
  /** Its listings. */
  listings: number;
}

/** How many listings have a breed. */
export interface BreedFacet {
  /** The breed, as it is written. */
  breed: string;
  /** Its listings. */
  listings: number;
}

/** The values of `goodWith`. */
export type GoodWith = 'dogs' | 'cats' | 'children';

/** The values of `children`. */
export type Children = '5' | '12' | 'under_5';

/** What to list. */
export interface ListListingsQuery {
  /** Only animals of these species, comma-separated or repeated. */
  species?: Species | readonly Species[] | undefined;
  /** Only animals of these sexes. */
  sex?: Sex | readonly Sex[] | undefined;
  /** Only animals of these ages. */
  ageGroup?: AgeGroup | readonly AgeGroup[] | undefined;
  /** Only animals of these sizes. */
  size?: Size | readonly Size[] | undefined;
  /** Only animals with these statuses: `pending` ones are reserved. */
  status?: 'available' | 'pending' | readonly ('available' | 'pending')[] | undefined;
  /** Only animals of these categories. */
  categoryId?: Int64 | readonly Int64[] | undefined;
  /** Only animals that get on with all of these. What is not known does not count. */
  goodWith?: GoodWith | readonly GoodWith[] | undefined;
  /**
   * Only animals that are known to fit a home whose youngest child is `under_5`, from `5` or from
   * `12` years old.
   */
  children?: Children | undefined;
  /**
   * Only animals with a breed that has a word that starts with each of these words, ignoring case
   * and accents.
   */
  breed?: string | undefined;
  /**
   * Only animals with a word that starts with each of these words, in name, breed, headline or
   * description, ignoring case and accents; or that are what a word says, in any language of the
   * pages: `kitten`, `Hund`, `hembra`.
   */
  q?: string | undefined;
  /**
   * `fair`, the default: those that fit `q` best, in each case those that are free before the
   * reserved ones, in a turn that starts with another one each day; `newest`, those that the
   * public could see last (again) first; `waiting`, those longest in care first; or by `name`.
   */
  sort?: 'fair' | 'newest' | 'waiting' | 'name' | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** What to list. */
export interface CountListingsQuery {
  /** Only animals of these species, comma-separated or repeated. */
  species?: Species | readonly Species[] | undefined;
  /** Only animals of these sexes. */
  sex?: Sex | readonly Sex[] | undefined;
  /** Only animals of these ages. */
  ageGroup?: AgeGroup | readonly AgeGroup[] | undefined;
  /** Only animals of these sizes. */
  size?: Size | readonly Size[] | undefined;
  /** Only animals with these statuses: `pending` ones are reserved. */
  status?: 'available' | 'pending' | readonly ('available' | 'pending')[] | undefined;
  /** Only animals of these categories. */
  categoryId?: Int64 | readonly Int64[] | undefined;
  /** Only animals that get on with all of these. What is not known does not count. */
  goodWith?: GoodWith | readonly GoodWith[] | undefined;
  /**
   * Only animals that are known to fit a home whose youngest child is `under_5`, from `5` or from
   * `12` years old.
   */
  children?: Children | undefined;
  /**
   * Only animals with a breed that has a word that starts with each of these words, ignoring case
   * and accents.
   */
  breed?: string | undefined;
  /**
   * Only animals with a word that starts with each of these words, in name, breed, headline or
   * description, ignoring case and accents; or that are what a word says, in any language of the
   * pages: `kitten`, `Hund`, `hembra`.
   */
  q?: string | undefined;
}
