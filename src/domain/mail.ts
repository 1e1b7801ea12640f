import type { Alert } from './alert.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts';
import type { Enquiry } from './enquiry.ts';

/** The shortest time between two mails to staff. In a flood, each sums up what arrived since the last. */
export const MAIL_PAUSE_MS = 3 * MINUTE_MS;
/** The most enquiries that a mail quotes. It gives the number of the others. */
export const QUOTED_MAX = 20;
/** A mail that cannot be sent is given up after about three days. */
const HOURLY_ATTEMPTS = 71;
/** The waits after failed attempts. */
export const MAIL_WAITS_MS: readonly number[] = [
  ...[10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...Array.from({ length: HOURLY_ATTEMPTS }, () => HOUR_MS),
];

/**
 * Mails that a stranger can cause: to one address within an hour and a day, by one visitor within an hour, and in all
 * within an hour.
 */
export const CAUSED_MAX = { hour: 1, day: 3, byVisitor: 10, inHour: 200 } as const;
/** Mails are remembered for this long after they were made, for those limits. */
export const MAILS_KEPT_MS = DAY_MS;

/** What a mail is about: enquiries for staff; a copy of an enquiry; the confirmation of an alert; or its animals. */
const MAIL_KINDS = ['enquiries', 'copy', 'confirm_alert', 'alert'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail that is to be sent. */
export interface Mail {
  readonly id: bigint;
  readonly kind: MailKind;
  /** The enquiry or the alert; null for a mail to staff. */
  readonly subjectId: bigint | null;
  /** A part of its Message-ID, the same at each attempt. */
  readonly name: string;
  readonly createdAt: number;
  readonly attempts: number;
  /** Null if it is due at once. */
  readonly nextAttemptAt: number | null;
}

/** What waits to be sent. */
interface PendingMails {
  readonly count: number;
  readonly oldestAt: number;
  /** Those that are due come first. */
  readonly next: readonly Mail[];
}

/** An enquiry in a mail. */
export interface QuotedEnquiry extends Enquiry {
  /** Null if the animal was removed. */
  readonly petName: string | null;
}

/** What a mail is about, as it is now. */
export interface MailContent {
  /** How many enquiries, of which it quotes the first. None is left if all were erased. */
  readonly count: number;
  readonly quoted: readonly QuotedEnquiry[];
  /** Undefined if it has ended. */
  readonly alert: Alert | undefined;
}

/** A mail after an attempt. */
interface AttemptedMail extends Pick<Mail, 'id' | 'attempts' | 'nextAttemptAt'> {
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly at: number;
  /** The server refuses the address for good. */
  readonly isRefused: boolean;
  /** The mail has told of the animals listed up to this time; undefined for other mails. */
  readonly toldUpTo: number | undefined;
}

/** The storage contract of mails. Nothing is stored for a term of the lease that is over. */
export interface MailStorage {
  /** Returns whether there is something to send, or to make a mail of: costs a read only. */
  isDue(now: number): Promise<boolean>;
  /** Makes a mail named `name` of the enquiries that staff were not told of, unless there was one moments ago. */
  collect(term: bigint, name: string, now: number): Promise<void>;
  /** Makes everything due that waits for another attempt. */
  retryAll(term: bigint): Promise<void>;
  /** Returns what waits at `now`, with at most `limit` mails; undefined if nothing does. */
  pending(now: number, limit: number): Promise<PendingMails | undefined>;
  content(mail: Mail): Promise<MailContent>;
  /** Stores an attempt; `all` makes all other mails due. Returns false if the term is over. */
  record(term: bigint, attempt: AttemptedMail, all: boolean): Promise<boolean>;
  /** Forgets mails made at or before `time` that are no longer pending, at most `most`. Returns the number. */
  forget(time: number, most: number): Promise<number>;
}

/** `refused`: the server refuses the address for good. */
export const MAIL_OUTCOMES = ['sent', 'failed', 'given_up', 'refused'] as const;

/** The mails of a process, for the metrics: attempts by outcome. */
export type MailReport = Readonly<Record<(typeof MAIL_OUTCOMES)[number], number>>;
