// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Stay } from './shared.ts';
import type {
  AgeGroup,
  BirthDatePrecision,
  Care,
  Coat,
  Energy,
  GoodWithChildren,
  IntakeType,
  OutcomeType,
  PetStatus,
  Sex,
  Size,
  Species,
} from './shared-words.ts';

/** An animal to add. */
export interface NewPet {
  /** The animal's name, stored exactly as sent. */
  name: string;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId: Int64;
  /** Availability of the animal: `available` if omitted. */
  status?: PetStatus | undefined;
}

/** The changes to make to an animal. */
export interface PetChange {
  /** The animal's name, stored exactly as sent. */
  name?: string | undefined;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId?: Int64 | undefined;
  status?: PetStatus | undefined;
}

/** A stay to add. The days are today by default. */
export interface NewStay {
  /** The day on which the animal came. Not after today. */
  intakeDate?: string | undefined;
  /** How it came; null if it is not known. */
  intakeType?: IntakeType | null | undefined;
  /** The day on which it left: not before it came, and not after today. */
  outcomeDate?: string | null | undefined;
  /** How it left; null while it is here. */
  outcomeType?: OutcomeType | null | undefined;
  /** Notes for staff. May have several lines. */
  note?: string | null | undefined;
}

/** The members to change. `outcomeType` null opens the newest stay again. */
export interface StayChange {
  /** The day on which the animal came. Not after today. */
  intakeDate?: string | undefined;
  /** How it came; null if it is not known. */
  intakeType?: IntakeType | null | undefined;
  /** The day on which it left: not before it came, and not after today. */
  outcomeDate?: string | null | undefined;
  /** How it left; null while it is here. */
  outcomeType?: OutcomeType | null | undefined;
  /** Notes for staff. May have several lines. */
  note?: string | null | undefined;
}

/** The members to change; `null` makes one unknown. */
export interface ProfileChange {
  /** The kind of animal. An animal without one is not listed. `null` if it is not known. */
  species?: Species | null | undefined;
  /** The breed, or what it looks most like. `null` if it is not known. */
  breed?: string | null | undefined;
  /** The other breed of a mix, if it is known. `null` if it is not known. */
  secondBreed?: string | null | undefined;
  /** Whether it is of several breeds. `null` if it is not known. */
  mixed?: boolean | null | undefined;
  /** Its sex. `null` if it is not known. */
  sex?: Sex | null | undefined;
  /**
   * When it was born, or about when: see `birthDatePrecision`. Not after today. `null` if it is
   * not known.
   */
  birthDate?: string | null | undefined;
  /**
   * How exactly the birth date is known: `day` unless said otherwise. `null` if it is not known.
   */
  birthDatePrecision?: BirthDatePrecision | null | undefined;
  /**
   * Its age: `baby` under 1 year, `young` under 3, `adult` under 8, else `senior`. Follows from
   * `birthDate`; can be set only where there is none. `null` if it is not known.
   */
  ageGroup?: AgeGroup | null | undefined;
  /** How large it is or will be. `null` if it is not known. */
  size?: Size | null | undefined;
  /** Its weight in grams. `null` if it is not known. */
  weightGrams?: number | null | undefined;
  /** Its coat. `null` if it is not known. */
  coat?: Coat | null | undefined;
  /** Its colours, the main one first. `null` if it is not known. */
  colours?: readonly string[] | null | undefined;
  /** A line that makes somebody read on. `null` if it is not known. */
  headline?: string | null | undefined;
  /** Its story and character. Plain text. `null` if it is not known. */
  description?: string | null | undefined;
  /** Whether it gets on with dogs: `selective` with some. `null` if it is not known. */
  goodWithDogs?: 'yes' | 'no' | 'selective' | null | undefined;
  /** Whether it gets on with cats: `selective` with some. `null` if it is not known. */
  goodWithCats?: 'yes' | 'no' | 'selective' | null | undefined;
  /**
   * Whether it gets on with children: `over_5` or `over_12` with older ones. `null` if it is not
   * known.
   */
  goodWithChildren?: GoodWithChildren | null | undefined;
  /** Whether it is house-trained. `null` if it is not known. */
  houseTrained?: boolean | null | undefined;
  /** Whether it is neutered or spayed. `null` if it is not known. */
  neutered?: boolean | null | undefined;
  /** Whether its vaccinations are up to date. `null` if it is not known. */
  vaccinated?: boolean | null | undefined;
  /** Whether it needs special care. `null` if it is not known. */
  specialNeeds?: boolean | null | undefined;
  /** What it needs. Plain text. `null` if it is not known. */
  specialNeedsNote?: string | null | undefined;
  /** How lively it is. `null` if it is not known. */
  energy?: Energy | null | undefined;
  /** What it costs to adopt it. `null` if it is not known. */
  fee?:
    | {
        /** In the minor unit of the currency, such as cents: 0 if it is waived. */
        amount: number;
        /** The currency (ISO 4217). */
        currency: string;
      }
    | null
    | undefined;
  /**
   * Since when it has been in care: the first day of its newest stay, which a change moves. Not
   * after today.
   */
  inCareSince?: string | undefined;
  /** A film of it, with `https`. `null` if it is not known. */
  videoUrl?: string | null | undefined;
  /** Whether it may be shown to the public. `GET /pets/{petId}/listing` says if it is. */
  published?: boolean | undefined;
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

/** The changes to make to a photo. */
export interface PhotoChange {
  /** What it shows, for those who do not see it. `null` removes it. */
  alt?: string | null | undefined;
  /**
   * Its place among the photos of the animal, from 1. The first one stands for the animal. The
   * others make room; beyond the last place means the last.
   */
  position?: number | undefined;
  /** What must stay visible where the photo is cut, in parts of its width and height. */
  focus?:
    | {
        /** From the left edge. */
        x: number;
        /** From the top. */
        y: number;
      }
    | undefined;
}

/** A stay of a list, with its entity tag. */
export interface ListedStay extends Stay {
  /** Its entity tag, for `If-Match`. */
  etag: string;
}

/** Whether the public sees an animal, and why not. */
export interface Publication {
  /** Whether the public sees the animal. */
  listed: boolean;
  /**
   * Every reason why not: not `published`, `sold`, without a species, or in another `care`.
   * `no_photo` is a hint: such an animal is listed nevertheless.
   */
  reasons: readonly ('not_published' | 'sold' | 'no_species' | 'care' | 'no_photo')[];
  /**
   * The address of its page for the public; null if it is not listed, or the pages are turned off.
   */
  url: string | null;
}

/** What to list. */
export interface ListPetsQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only animals with this availability. */
  status?: PetStatus | undefined;
  /**
   * Only animals with these ids, comma-separated or repeated. With a single id, the `ETag` is that
   * of the animal itself and works in `If-Match`.
   */
  id?: Int64 | readonly Int64[] | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Only animals with this in their name, ignoring case and accents. */
  name?: string | undefined;
  /** By ascending `id`, the default, or `newest` first, which is refused together with `name`. */
  sort?: 'id' | 'newest' | undefined;
  /**
   * With `true`, `X-Total-Count` says how many animals pass the filters. It is absent with `id` or
   * `name`, and for more than 100,000 animals of a category.
   */
  total?: 'true' | 'false' | undefined;
}

/** What to list. */
export interface ListPetHistoryQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
}

/** Parameters of the call. */
export interface AddPhotoQuery {
  /** What it shows, for those who do not see it. */
  alt?: string | undefined;
}
