// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type {
  AgeGroup,
  AuditType,
  BirthDatePrecision,
  Coat,
  Energy,
  GoodWithChildren,
  OrderStatus,
  PetStatus,
  Sex,
  Size,
  Species,
} from './shared-words.ts';

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

/** One change: what, when, by whom, from what to what. */
export interface AuditLine {
  /** Position of the change. Grows from one change to the next, not always by 1. */
  id: number;
  /** When the change was made, in UTC. */
  timestamp: string;
  type: AuditType;
  actor?: AuditActor | undefined;
  subject: AuditSubject;
  /**
   * The fields that changed, each with its value before and after: `["Rex", "Max"]`, `null` where
   * there was none. Instead of a personal detail of an adoption there is `true`. Absent for
   * changes from before the audit began.
   */
  changes?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/**
 * Who made the change; null for a command, and for the service itself. Absent for callers
 * without `write`.
 */
export type AuditActor = {
  /** Id of the API key that made the change, or of the person. */
  keyId: number;
  /** Its name now; null if the key was removed. */
  name: string | null;
} | null;

/** What was changed. */
export interface AuditSubject {
  /** The kind of record: `pet`, `photo`, `order`, `key` and so on. */
  type: string;
  /** Its id. Absent where there is only one, such as the shop. */
  id?: Int64 | undefined;
  /** The animal that it concerns, if it is not the animal. */
  petId?: number | undefined;
  /** What it, or else that animal, is called, if that is known. */
  name?: string | undefined;
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

/** A kind of animal. */
export interface Category {
  /** Unique identifier assigned by the service on creation. */
  id: number;
  /** The name of the category. No two names differ only in case. */
  name: string;
}

/** The adoption of an animal. */
export interface Order {
  /** Unique identifier assigned by the service when the order is placed. */
  id: number;
  /** Id of the animal. */
  petId: number;
  /**
   * The adopter: a name, or a reference of your own. Personal data: only keys with the scope
   * `write` see it.
   */
  adopter?: string | undefined;
  /**
   * How to reach the adopter, such as an e-mail address or a telephone number. Personal data: only
   * keys with the scope `write` see it.
   */
  contact?: string | undefined;
  /**
   * Any other notes. May have several lines. Personal data: only keys with the scope `write` see
   * it.
   */
  note?: string | undefined;
  status: OrderStatus;
  /** When the order was placed, in UTC. */
  placedAt: string;
  /** When it last changed, in UTC. */
  updatedAt: string;
}

/** What the public is told about the shop. */
export interface Shop {
  /** The name of the shop. `null` if it is not set. */
  name: string | null;
  /** Its postal address, in several lines. `null` if it is not set. */
  address: string | null;
  /** Its telephone number. `null` if it is not set. */
  telephone: string | null;
  /** Its e-mail address. `null` if it is not set. */
  email: string | null;
  /** When it is open. Plain text. `null` if it is not set. */
  hours: string | null;
  /**
   * The colour of buttons and links, such as `#2f6f4f`. It is shown darker or lighter where text
   * on it could not be read. `null` if it is not set.
   */
  accentColour: string | null;
  /** What to do to adopt an animal. Plain text. `null` if it is not set. */
  howToAdopt: string | null;
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
