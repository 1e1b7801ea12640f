// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type {
  AuditType,
  IntakeType,
  OrderStatus,
  OutcomeType,
  PetStatus,
  QuestionKind,
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

/** From the day on which an animal came until it left. */
export interface Stay {
  /** Unique identifier assigned by the service. */
  id: number;
  /** Id of the animal. */
  petId: number;
  /** The day on which the animal came. Not after today. */
  intakeDate: string;
  /** How it came; null if it is not known. */
  intakeType: IntakeType | null;
  /** The day on which it left: not before it came, and not after today. */
  outcomeDate: string | null;
  /** How it left; null while it is here. */
  outcomeType: OutcomeType | null;
  /** Notes for staff. May have several lines. */
  note: string | null;
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
  /** When it was approved; absent until then, in UTC. */
  approvedAt?: string | undefined;
  /** When it was completed; absent until then, in UTC. */
  completedAt?: string | undefined;
  /** When it was cancelled; absent until then, in UTC. */
  cancelledAt?: string | undefined;
  /** When it last changed, in UTC. */
  updatedAt: string;
  /** When the animal of a completed order came back; absent until then, in UTC. */
  returnedAt?: string | undefined;
  /** Why the animal came back. Personal data: only keys with the scope `write` see it. */
  returnReason?: string | undefined;
  /**
   * The answers of the enquiry that it came from to the questions of the shop. Personal data: only
   * keys with the scope `write` see it.
   */
  answers?: readonly Answer[] | undefined;
}

/** The answer to a question of the shop. */
export interface Answer {
  /** The id of the question. */
  id: string;
  /** What was asked, as the form said it. */
  label: string;
  /** What was answered: text; `yes` or `no` to a `yes_no`. */
  answer: string;
}

/** What the public is told about the shop. */
export interface Shop {
  /**
   * The name of the shop for programs, such as those of a partner of several shops. It stays the
   * same for good, also where the data is moved or put back.
   */
  id: string;
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
  /**
   * The town that titles of pages name. Otherwise it is taken from the last line of the address.
   * `null` if it is not set.
   */
  town: string | null;
  /**
   * The language in which staff write about animals (BCP 47), such as `de`: pages in another one
   * say so to screen readers. `null` if it is not set.
   */
  language: string | null;
  /** The address of the imprint, with `https`. `null` if it is not set. */
  imprintUrl: string | null;
  /** The address of what the shop says about privacy, with `https`. `null` if it is not set. */
  privacyUrl: string | null;
  /** Where to donate, with `https`. `null` if it is not set. */
  donateUrl: string | null;
  /** Links to other pages of the shop, at most 6. `null` if it is not set. */
  links: readonly ShopLink[] | null;
  /** What the form of an animal asks besides a message, in this order. */
  questions: readonly Question[];
  /** The logo of the shop. `null` if it is not set. Events leave it out. */
  logo?:
    | {
        /** JPEG of at most 1,280 pixels in width. It needs no key. */
        url: string;
        /** The width of the largest file, in pixels. */
        width: number;
        /** The height of the largest file, in pixels. */
        height: number;
      }
    | null
    | undefined;
}

/** A link to another page of the shop. */
export interface ShopLink {
  /** What the link says. */
  label: string;
  /** Where it leads, with `https`. */
  url: string;
}

/** A question that the form of an animal asks. */
export interface Question {
  /** Names the question and its answers: small letters, digits, `-` and `_`. */
  id: string;
  /** What is asked. */
  label: string;
  kind: QuestionKind;
  /** Whether it must be answered. */
  required: boolean;
  /** The answers to choose from, for a `choice` alone. */
  options: readonly string[];
  /** The species of the animals that it is asked of. Without it: of all. */
  species?: readonly Species[] | undefined;
}
