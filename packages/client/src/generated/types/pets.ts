// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

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

/** The members to change; `null` makes one unknown. */
export interface ProfileChange {
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
    | null
    | undefined;
  breed?: string | null | undefined;
  secondBreed?: string | null | undefined;
  mixed?: boolean | null | undefined;
  sex?: 'female' | 'male' | null | undefined;
  birthDate?: string | null | undefined;
  birthDatePrecision?: 'day' | 'month' | 'year' | null | undefined;
  ageGroup?: 'baby' | 'young' | 'adult' | 'senior' | null | undefined;
  size?: 'small' | 'medium' | 'large' | 'xlarge' | null | undefined;
  weightGrams?: number | null | undefined;
  coat?: 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly' | null | undefined;
  colours?: readonly string[] | null | undefined;
  headline?: string | null | undefined;
  description?: string | null | undefined;
  goodWithDogs?: 'yes' | 'no' | 'selective' | null | undefined;
  goodWithCats?: 'yes' | 'no' | 'selective' | null | undefined;
  goodWithChildren?: 'yes' | 'over_5' | 'over_12' | 'no' | null | undefined;
  houseTrained?: boolean | null | undefined;
  neutered?: boolean | null | undefined;
  vaccinated?: boolean | null | undefined;
  specialNeeds?: boolean | null | undefined;
  specialNeedsNote?: string | null | undefined;
  energy?: 'low' | 'medium' | 'high' | null | undefined;
  fee?:
    | {
        /** In the minor unit of the currency, such as cents: 0 if it is waived. */
        amount: number;
        /** The currency (ISO 4217). */
        currency: string;
      }
    | null
    | undefined;
  inCareSince?: string | null | undefined;
  videoUrl?: string | null | undefined;
  /** Whether it may be shown to the public. `GET /pets/{petId}/listing` says if it is. */
  published?: boolean | undefined;
  microchip?: string | null | undefined;
  care?:
    | 'shelter'
    | 'foster'
    | 'quarantine'
    | 'medical'
    | 'hold'
    | 'returned_to_owner'
    | 'transferred'
    | 'died'
    | null
    | undefined;
  location?: string | null | undefined;
  medicalNotes?: string | null | undefined;
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

/** An animal. It always has a status. */
export interface Pet {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** The animal's name, stored exactly as sent. */
  name: string;
  /** Id of the category that the animal belongs to. The category need not exist. */
  categoryId: Int64;
  status: PetStatus;
}

/** A change of the status of an animal. */
export interface StatusChange {
  /** Number of the change in the history of the animal, starting at 1. */
  id: number;
  /** The new status of the animal. */
  status: 'available' | 'pending' | 'sold';
  /** When the status changed, in UTC. */
  changedAt: string;
  /**
   * Id of the API key that made the change. Absent if the operator made it from the command line.
   */
  keyId?: number | undefined;
}

/** What is known of an animal. `null` is not known, never no. */
export interface Profile {
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
  breed: string | null;
  secondBreed: string | null;
  mixed: boolean | null;
  sex: 'female' | 'male' | null;
  birthDate: string | null;
  birthDatePrecision: 'day' | 'month' | 'year' | null;
  ageGroup: 'baby' | 'young' | 'adult' | 'senior' | null;
  size: 'small' | 'medium' | 'large' | 'xlarge' | null;
  weightGrams: number | null;
  coat: 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly' | null;
  colours: readonly string[] | null;
  headline: string | null;
  description: string | null;
  goodWithDogs: 'yes' | 'no' | 'selective' | null;
  goodWithCats: 'yes' | 'no' | 'selective' | null;
  goodWithChildren: 'yes' | 'over_5' | 'over_12' | 'no' | null;
  houseTrained: boolean | null;
  neutered: boolean | null;
  vaccinated: boolean | null;
  specialNeeds: boolean | null;
  specialNeedsNote: string | null;
  energy: 'low' | 'medium' | 'high' | null;
  fee: {
    /** In the minor unit of the currency, such as cents: 0 if it is waived. */
    amount: number;
    /** The currency (ISO 4217). */
    currency: string;
  } | null;
  inCareSince: string | null;
  videoUrl: string | null;
  /** Whether it may be shown to the public. `GET /pets/{petId}/listing` says if it is. */
  published: boolean;
  microchip?: string | null | undefined;
  care?:
    | 'shelter'
    | 'foster'
    | 'quarantine'
    | 'medical'
    | 'hold'
    | 'returned_to_owner'
    | 'transferred'
    | 'died'
    | null
    | undefined;
  location?: string | null | undefined;
  medicalNotes?: string | null | undefined;
  behaviourNotes?: string | null | undefined;
}

/** A photo of an animal. */
export interface Photo {
  /** Unique identifier assigned by the service when the photo is added. */
  id: number;
  alt: string | null;
  /** Its place among the photos of the animal, from 1. The first one stands for the animal. */
  position: number;
  focus: PhotoFocus;
  /** The width of the largest file, in pixels. */
  width: number;
  /** The height of the largest file, in pixels. */
  height: number;
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

/** Whether the public sees an animal, and why not. */
export interface Publication {
  /** Whether the public sees the animal. */
  listed: boolean;
  /**
   * Every reason why not: not `published`, `sold`, without a species, or in another `care`.
   * `no_photo` is a hint: such an animal is listed nevertheless.
   */
  reasons: readonly ('not_published' | 'sold' | 'no_species' | 'care' | 'no_photo')[];
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
  /** By ascending `id`, the default, or `newest` first, which needs no `name`. */
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
