// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Pet, Photo } from './pets.ts';

/** What the public sees of an animal. */
export interface Listing {
  pet: Pet;
  profile: PublicProfile;
  /** Its photos, in order. */
  photos: readonly Photo[];
}

/** What anybody may know of an animal. */
export interface PublicProfile {
  /** The kind of animal. An animal without one is not listed. `null` if it is not known. */
  species:
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
    | null;
  /** The breed, or what it looks most like. `null` if it is not known. */
  breed: string | null;
  /** The other breed of a mix, if it is known. `null` if it is not known. */
  secondBreed: string | null;
  /** Whether it is of several breeds. `null` if it is not known. */
  mixed: boolean | null;
  /** Its sex. `null` if it is not known. */
  sex: 'female' | 'male' | null;
  /**
   * When it was born, or about when: see `birthDatePrecision`. Not after today. `null` if it is
   * not known.
   */
  birthDate: string | null;
  /**
   * How exactly the birth date is known: `day` unless said otherwise. `null` if it is not known.
   */
  birthDatePrecision: 'day' | 'month' | 'year' | null;
  /**
   * Its age: `baby` under 1 year, `young` under 3, `adult` under 8, else `senior`. Follows from
   * `birthDate`; can be set only where there is none. `null` if it is not known.
   */
  ageGroup: 'baby' | 'young' | 'adult' | 'senior' | null;
  /** How large it is or will be. `null` if it is not known. */
  size: 'small' | 'medium' | 'large' | 'xlarge' | null;
  /** Its weight in grams. `null` if it is not known. */
  weightGrams: number | null;
  /** Its coat. `null` if it is not known. */
  coat: 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly' | null;
  /** Its colours, the main one first. `null` if it is not known. */
  colours: readonly string[] | null;
  /** A line that makes somebody read on. `null` if it is not known. */
  headline: string | null;
  /** Its story and character. Plain text. `null` if it is not known. */
  description: string | null;
  /** Whether it gets on with dogs: `selective` with some. `null` if it is not known. */
  goodWithDogs: 'yes' | 'no' | 'selective' | null;
  /** Whether it gets on with cats: `selective` with some. `null` if it is not known. */
  goodWithCats: 'yes' | 'no' | 'selective' | null;
  /**
   * Whether it gets on with children: `over_5` or `over_12` with older ones. `null` if it is not
   * known.
   */
  goodWithChildren: 'yes' | 'over_5' | 'over_12' | 'no' | null;
  /** Whether it is house-trained. `null` if it is not known. */
  houseTrained: boolean | null;
  /** Whether it is neutered or spayed. `null` if it is not known. */
  neutered: boolean | null;
  /** Whether its vaccinations are up to date. `null` if it is not known. */
  vaccinated: boolean | null;
  /** Whether it needs special care. `null` if it is not known. */
  specialNeeds: boolean | null;
  /** What it needs. Plain text. `null` if it is not known. */
  specialNeedsNote: string | null;
  /** How lively it is. `null` if it is not known. */
  energy: 'low' | 'medium' | 'high' | null;
  /** What it costs to adopt it. `null` if it is not known. */
  fee: {
    /** In the minor unit of the currency, such as cents: 0 if it is waived. */
    amount: number;
    /** The currency (ISO 4217). */
    currency: string;
  } | null;
  /** Since when it has been in care. Not after today. `null` if it is not known. */
  inCareSince: string | null;
  /** A film of it, with `https`. `null` if it is not known. */
  videoUrl: string | null;
  /** Whether it may be shown to the public. `GET /pets/{petId}/listing` says if it is. */
  published: boolean;
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
  /** By id of the category. */
  categoryId: Readonly<Record<string, number>>;
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
