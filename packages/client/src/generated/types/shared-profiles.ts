// Made from openapi.json by `npm run openapi`.
import type {
  AgeGroup,
  BirthDatePrecision,
  Care,
  Coat,
  Energy,
  GoodWithChildren,
  Sex,
  Size,
  Species,
} from './shared-words.ts';

/** What is known of an animal. `null` is not known, never no. */
export interface Profile extends PublicProfile {
  /**
   * The number of its microchip. `null` if it is not known. Only keys with the scope `write` see
   * it.
   */
  microchip?: string | null | undefined;
  /**
   * Where it is while it is here. Only an animal in the `shelter`, in `foster` care or without any
   * is listed. `null` if it is not known. Only keys with the scope `write` see it.
   */
  care?: Care | null | undefined;
  /**
   * The last day of `care`. Until it is over, an animal in `quarantine`, `medical` or on `hold`
   * cannot be adopted. `null` if it is not known. Only keys with the scope `write` see it.
   */
  careUntil?: string | null | undefined;
  /** Its kennel or room. `null` if it is not known. Only keys with the scope `write` see it. */
  location?: string | null | undefined;
  /**
   * Notes on its health. Plain text. `null` if it is not known. Only keys with the scope `write`
   * see it.
   */
  medicalNotes?: string | null | undefined;
  /**
   * Notes on its behaviour. Plain text. `null` if it is not known. Only keys with the scope
   * `write` see it.
   */
  behaviourNotes?: string | null | undefined;
}

/** A photo of an animal. */
export interface Photo extends PublicPhoto {
  urls: PhotoUrls;
}

/** What must stay visible where the photo is cut, in parts of its width and height. */
export interface PhotoFocus {
  /** From the left edge. */
  x: number;
  /** From the top. */
  y: number;
}

/**
 * The addresses of its files. What they hold never changes. None is larger than the photo that
 * was sent, so several may be one. They need no key while the animal is listed.
 */
export interface PhotoUrls {
  /** WebP of at most 320 pixels in width. */
  small: string;
  /** WebP of at most 640 pixels in width. */
  medium: string;
  /** WebP of at most 1,280 pixels in width. */
  large: string;
  /** JPEG of at most 1,280 pixels in width. */
  jpeg: string;
  /** JPEG of at most 2,048 pixels in width and height: the largest there is. */
  full: string;
}

/** What anybody may know of an animal. */
export interface PublicProfile {
  /** The kind of animal. An animal without one is not listed. `null` if it is not known. */
  species: Species | null;
  /** The breed, or what it looks most like. `null` if it is not known. */
  breed: string | null;
  /** The other breed of a mix, if it is known. `null` if it is not known. */
  secondBreed: string | null;
  /** Whether it is of several breeds. `null` if it is not known. */
  mixed: boolean | null;
  /** Its sex. `null` if it is not known. */
  sex: Sex | null;
  /**
   * When it was born, or about when: see `birthDatePrecision`. Not after today. `null` if it is
   * not known.
   */
  birthDate: string | null;
  /**
   * How exactly the birth date is known: `day` unless said otherwise. `null` if it is not known.
   */
  birthDatePrecision: BirthDatePrecision | null;
  /**
   * Its age: `baby` under 1 year, `young` under 3, `adult` under 8, else `senior`. Follows from
   * `birthDate`; can be set only where there is none. `null` if it is not known.
   */
  ageGroup: AgeGroup | null;
  /** How large it is or will be. `null` if it is not known. */
  size: Size | null;
  /** Its weight in grams. `null` if it is not known. */
  weightGrams: number | null;
  /** Its coat. `null` if it is not known. */
  coat: Coat | null;
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
  goodWithChildren: GoodWithChildren | null;
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
  energy: Energy | null;
  /** What it costs to adopt it. `null` if it is not known. */
  fee: {
    /** In the minor unit of the currency, such as cents: 0 if it is waived. */
    amount: number;
    /** The currency (ISO 4217). */
    currency: string;
  } | null;
  /**
   * Since when it has been in care: the first day of its newest stay, which a change moves. Not
   * after today.
   */
  inCareSince: string | null;
  /** A film of it, with `https`. `null` if it is not known. */
  videoUrl: string | null;
  /** Whether it may be shown to the public. `GET /pets/{petId}/listing` says if it is. */
  published: boolean;
}

/** A photo of an animal, without its addresses. */
export interface PublicPhoto {
  /** Unique identifier assigned by the service when the photo is added. */
  id: number;
  /** What it shows, for those who do not see it. `null` if nobody said so. */
  alt: string | null;
  /** Its place among the photos of the animal, from 1. The first one stands for the animal. */
  position: number;
  focus: PhotoFocus;
  /** The width of the largest file, in pixels. */
  width: number;
  /** The height of the largest file, in pixels. */
  height: number;
}
