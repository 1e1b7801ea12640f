// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Pet, Photo, PublicProfile } from './shared.ts';

/** What the public sees of an animal. */
export interface Listing {
  pet: Pet;
  profile: PublicProfile;
  /** Its photos, in order. */
  photos: readonly Photo[];
  /**
   * The address of its page for the public; null if it is not listed, or the pages are turned off.
   */
  url: string | null;
}

/** Numbers of listings by value. A value without any is left out, and so is what is not known. */
export interface ListingFacets {
  /** By species. */
  species: {
    /** How many: `dog`. */
    dog?: number | undefined;
    /** How many: `cat`. */
    cat?: number | undefined;
    /** How many: `rabbit`. */
    rabbit?: number | undefined;
    /** How many: `small_mammal`. */
    small_mammal?: number | undefined;
    /** How many: `bird`. */
    bird?: number | undefined;
    /** How many: `horse`. */
    horse?: number | undefined;
    /** How many: `farm`. */
    farm?: number | undefined;
    /** How many: `reptile`. */
    reptile?: number | undefined;
    /** How many: `fish`. */
    fish?: number | undefined;
    /** How many: `other`. */
    other?: number | undefined;
  };
  /** By sex. */
  sex: {
    /** How many: `female`. */
    female?: number | undefined;
    /** How many: `male`. */
    male?: number | undefined;
  };
  /** By age. */
  ageGroup: {
    /** How many: `baby`. */
    baby?: number | undefined;
    /** How many: `young`. */
    young?: number | undefined;
    /** How many: `adult`. */
    adult?: number | undefined;
    /** How many: `senior`. */
    senior?: number | undefined;
  };
  /** By size. */
  size: {
    /** How many: `small`. */
    small?: number | undefined;
    /** How many: `medium`. */
    medium?: number | undefined;
    /** How many: `large`. */
    large?: number | undefined;
    /** How many: `xlarge`. */
    xlarge?: number | undefined;
  };
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
  goodWith: {
    /** How many: `dogs`. */
    dogs?: number | undefined;
    /** How many: `cats`. */
    cats?: number | undefined;
    /** How many: `children`. */
    children?: number | undefined;
  };
}

/** How many listings a category has. */
export interface CategoryFacet {
  /** Id of the category. */
  id: Int64;
  /** Its listings. */
  listings: number;
}

/** What to list. */
export interface ListListingsQuery {
  /** Only animals of these species, comma-separated or repeated. */
  species?:
    | 'dog'
    | 'cat'
    | 'rabbit'
    | 'small_mammal'
    | 'bird'
    | 'horse'
    | 'farm'
    | 'reptile'
    | 'fish'
    | 'other'
    | readonly (
        | 'dog'
        | 'cat'
        | 'rabbit'
        | 'small_mammal'
        | 'bird'
        | 'horse'
        | 'farm'
        | 'reptile'
        | 'fish'
        | 'other'
      )[]
    | undefined;
  /** Only animals of these sexes. */
  sex?: 'female' | 'male' | readonly ('female' | 'male')[] | undefined;
  /** Only animals of these ages. */
  ageGroup?:
    | 'baby'
    | 'young'
    | 'adult'
    | 'senior'
    | readonly ('baby' | 'young' | 'adult' | 'senior')[]
    | undefined;
  /** Only animals of these sizes. */
  size?:
    | 'small'
    | 'medium'
    | 'large'
    | 'xlarge'
    | readonly ('small' | 'medium' | 'large' | 'xlarge')[]
    | undefined;
  /** Only animals with these statuses: `pending` ones are reserved. */
  status?: 'available' | 'pending' | readonly ('available' | 'pending')[] | undefined;
  /** Only animals of these categories. */
  categoryId?: Int64 | readonly Int64[] | undefined;
  /** Only animals that get on with all of these. What is not known does not count. */
  goodWith?: 'dogs' | 'cats' | 'children' | readonly ('dogs' | 'cats' | 'children')[] | undefined;
  /**
   * Only animals with a word that starts with each of these words, in name, breed, headline or
   * description, ignoring case and accents.
   */
  q?: string | undefined;
  /**
   * `fair`, the default; `newest` added first; `waiting`, those longest in care first; or by
   * `name`.
   */
  sort?: 'fair' | 'newest' | 'waiting' | 'name' | undefined;
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** What to list. */
export interface CountListingsQuery {
  /** Only animals of these species, comma-separated or repeated. */
  species?:
    | 'dog'
    | 'cat'
    | 'rabbit'
    | 'small_mammal'
    | 'bird'
    | 'horse'
    | 'farm'
    | 'reptile'
    | 'fish'
    | 'other'
    | readonly (
        | 'dog'
        | 'cat'
        | 'rabbit'
        | 'small_mammal'
        | 'bird'
        | 'horse'
        | 'farm'
        | 'reptile'
        | 'fish'
        | 'other'
      )[]
    | undefined;
  /** Only animals of these sexes. */
  sex?: 'female' | 'male' | readonly ('female' | 'male')[] | undefined;
  /** Only animals of these ages. */
  ageGroup?:
    | 'baby'
    | 'young'
    | 'adult'
    | 'senior'
    | readonly ('baby' | 'young' | 'adult' | 'senior')[]
    | undefined;
  /** Only animals of these sizes. */
  size?:
    | 'small'
    | 'medium'
    | 'large'
    | 'xlarge'
    | readonly ('small' | 'medium' | 'large' | 'xlarge')[]
    | undefined;
  /** Only animals with these statuses: `pending` ones are reserved. */
  status?: 'available' | 'pending' | readonly ('available' | 'pending')[] | undefined;
  /** Only animals of these categories. */
  categoryId?: Int64 | readonly Int64[] | undefined;
  /** Only animals that get on with all of these. What is not known does not count. */
  goodWith?: 'dogs' | 'cats' | 'children' | readonly ('dogs' | 'cats' | 'children')[] | undefined;
  /**
   * Only animals with a word that starts with each of these words, in name, breed, headline or
   * description, ignoring case and accents.
   */
  q?: string | undefined;
}
