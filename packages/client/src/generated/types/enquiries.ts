// Made from openapi.json by `npm run openapi`.
import type { Int64 } from '../../json.ts';
import type { Answer } from './shared.ts';

/** The progress of an enquiry: `new`, `answered` or `closed`. Each may become each other. */
export type EnquiryStatus = 'new' | 'answered' | 'closed';

/** Only enquiries of which this person takes care; `none`: those of nobody who works here. */
export type EnquiryOwner = Int64 | 'none';

/** The changes to make to an enquiry. */
export interface EnquiryChange {
  status?: EnquiryStatus | undefined;
  /** The person who takes care of it. `null`: nobody. */
  ownerId?: Int64 | null | undefined;
  /** What staff note about it for each other. Who enquired never sees it. `null` erases it. */
  note?: string | null | undefined;
}

/** What somebody asks about an animal. */
export interface Enquiry {
  /** Unique identifier assigned by the service when the enquiry is received. */
  id: number;
  /** Id of the animal, which may have been removed since. */
  petId: number;
  /** Id of the adoption that was started from it. */
  orderId?: number | undefined;
  status: EnquiryStatus;
  /** Who wrote it. */
  name: string;
  /** The e-mail address of who wrote it. */
  email?: string | undefined;
  /** The telephone number of who wrote it. */
  telephone?: string | undefined;
  /** The person who takes care of it. */
  ownerId?: number | undefined;
  /** What they are called, also if they were removed since. */
  ownerName?: string | undefined;
  /** What staff note about it for each other. Who enquired never sees it. */
  note?: string | undefined;
  /** What they wrote. Plain text. */
  message: string;
  /** Their answers to the questions of the shop, if there are any. */
  answers?: readonly Answer[] | undefined;
  /**
   * Whether it may be spam: sent faster than people write, with a field that only robots fill, or
   * after many others.
   */
  suspected: boolean;
  /** The language of the page on which they wrote it, such as `en`. */
  language: string;
  /** When it was received, in UTC. */
  receivedAt: string;
  /** When it last changed, in UTC. */
  updatedAt: string;
}

/** What to list. */
export interface ListEnquiriesQuery {
  /** The largest number of items on a page. */
  limit?: number | undefined;
  /** Only enquiries with this status. */
  status?: EnquiryStatus | undefined;
  /** Only enquiries about this animal. */
  petId?: Int64 | undefined;
  /** Only enquiries of which this person takes care; `none`: those of nobody who works here. */
  ownerId?: EnquiryOwner | undefined;
  /** By time of arrival: `newest` first, which is the default, or `oldest`. */
  sort?: 'newest' | 'oldest' | undefined;
  /**
   * Only enquiries with each of these words, or parts of them, in the letter, its sender, the note
   * or the name of the animal, ignoring case and accents.
   */
  q?: string | undefined;
  /** Only those that may be spam, or only the others. */
  suspected?: 'true' | 'false' | undefined;
}
