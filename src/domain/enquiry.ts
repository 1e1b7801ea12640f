import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { Order } from './order.ts';
import type { Page, PageRequest } from './page.ts';

export const ENQUIRY_STATUSES = ['new', 'answered', 'closed'] as const;
export type EnquiryStatus = (typeof ENQUIRY_STATUSES)[number];

export const ENQUIRER_MAX = 100;
export const MESSAGE_MAX = 2_000;
export const ENQUIRY_NOTE_MAX = 2_000;

/**
 * Enquiries from one address and person within an hour: beyond the first bound they are marked as suspected, beyond the
 * second refused. An address alone may send more, since many people may share it, as on the Wi-Fi of a shop.
 */
export const SENT_MAX = {
  ...{ marked: 5, refused: 30 },
  ...{ byAddressMarked: 30, byAddressRefused: 100 },
} as const;
/** The most enquiries within an hour, and the most that may wait for an answer. Suspected ones are counted apart. */
export const TAKEN_IN_HOUR_MAX = 200;
export const WAITING_MAX = 1_000;

/** What somebody wrote about an animal. All of it is personal. */
interface Letter {
  readonly name: string;
  /** At least one of them is given. */
  readonly email: string | undefined;
  readonly telephone: string | undefined;
  readonly message: string;
  /** The answers to the questions of the shop, in their order. */
  readonly answers: readonly Answer[];
}

/** An answer to a question of the shop. The label is that of its time. */
export type Answer = {
  readonly id: string;
  readonly label: string;
  readonly answer: string;
};

/** An enquiry as the form sends it. */
export interface NewEnquiry extends Letter {
  readonly petId: bigint;
  /** The language of the form: `en`. */
  readonly language: string;
  /** It may be spam. It is stored all the same, and staff see it in a separate list. */
  readonly suspected: boolean;
  /** Keyed hashes: of the address that it comes from, of that with who it says it is, and of what it says. */
  readonly sender: string;
  readonly pair: string;
  readonly digest: string;
  /** The mail with a copy of it, and a keyed hash of its e-mail address; undefined if no mails are sent. */
  readonly copy: { readonly name: string; readonly receiver: string } | undefined;
}

/** An enquiry about an animal. It outlives its animal, and is erased some months after it came. */
export interface Enquiry extends Letter {
  readonly id: bigint;
  readonly petId: bigint;
  /** The adoption that was started from it. */
  readonly orderId: bigint | undefined;
  readonly status: EnquiryStatus;
  /** The person who handles it, even if they have been removed since. */
  readonly ownerId: bigint | undefined;
  /** Their name; undefined once it is unknown. */
  readonly ownerName: string | undefined;
  /** A note of staff for each other. Personal, like the rest. */
  readonly note: string | undefined;
  readonly language: string;
  /** Whether it may be spam. */
  readonly suspected: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  readonly updatedAt: number;
}

/** A change of an enquiry: undefined leaves a value as it is, null clears it. */
export interface EnquiryChange {
  readonly status?: EnquiryStatus | undefined;
  readonly ownerId?: bigint | null | undefined;
  readonly note?: string | null | undefined;
}

/**
 * The outcome of an enquiry: stored (or a duplicate of a recent one), or refused because its animal is not listed, its
 * sender has sent too many, or the shop has received too many.
 */
export type Receipt = 'received' | 'unlisted' | 'tooMany' | 'full';

export const ENQUIRY_SORTS = ['newest', 'oldest'] as const;

/** Which enquiries a list has, and in which order. */
export interface EnquiryQuery {
  readonly status?: EnquiryStatus | undefined;
  readonly suspected?: boolean | undefined;
  readonly petId?: bigint | undefined;
  /** Who handles it; `none` finds those that nobody who may answer handles. */
  readonly ownerId?: bigint | 'none' | undefined;
  /** By id, which grows with time; `newest` by default. */
  readonly sort?: (typeof ENQUIRY_SORTS)[number] | undefined;
  /** Parts of words, folded by `foldName`: each must occur in a letter, its note or the name of its animal. */
  readonly words?: readonly string[] | undefined;
}

/** The storage contract of enquiries. */
export interface EnquiryStorage {
  /**
   * Returns a page of enquiries. With words it reads a bounded number of them: such a page can have few
   * items, or none, while more follow.
   */
  list(query: EnquiryQuery, page: PageRequest): Promise<Page<Enquiry>>;
  find(id: bigint): Promise<Enquiry | undefined>;
  /** Stores an enquiry unless a limit is reached. Concurrent enquiries cannot exceed the limit. */
  receive(enquiry: NewEnquiry, at: number): Promise<Receipt>;
  /**
   * Changes what is given. Returns undefined if the enquiry does not exist. Throws what the precondition
   * throws, and `person_not_found` for an owner who does not work here or may not write.
   */
  update(
    id: bigint,
    change: EnquiryChange,
    stamp: ChangeStamp,
    precondition: Precondition<Enquiry>,
  ): Promise<Enquiry | undefined>;
  /**
   * Places an order for the animal by the person who enquired, in one transaction. Returns undefined if the
   * enquiry does not exist. Throws `conflict` if it has an adoption, and what `place` of orders throws.
   */
  order(id: bigint, stamp: ChangeStamp): Promise<Order | undefined>;
  /**
   * Erases enquiries received at or before `time`, at most `most`, and the adopter in the orders that came from them; in
   * open orders once they end. Returns the number of enquiries.
   */
  removeExpired(time: number, most: number, stamp: ChangeStamp): Promise<number>;
  /** Forgets who sent forms at or before `time`, or after `now` by a wrong clock. Returns the number of forms. */
  forgetSent(time: number, now: number, most: number): Promise<number>;
}

/** The failure of an owner who may not answer enquiries. */
export function noSuchOwner(id: bigint): Failure {
  return new Failure('person_not_found', `No person ${id} works here who may answer enquiries.`);
}

/** The failure of a second adoption from one enquiry. */
export function alreadyOrdered(id: bigint, orderId: bigint): Failure {
  return new Failure(
    'conflict',
    `From enquiry ${id}, the adoption ${orderId} was started already.`,
  );
}
