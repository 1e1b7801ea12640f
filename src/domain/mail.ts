import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts';
import type { Enquiry } from './enquiry.ts';

/** The least time between two mails: in a flood each sums up what came meanwhile. */
export const MAIL_PAUSE_MS = 3 * MINUTE_MS;
/** Enquiries that a mail quotes. Of more it gives the number. */
export const QUOTED_MAX = 20;
/** Nobody else sends a mail that somebody has taken, for this long. */
export const MAIL_LEASE_MS = MINUTE_MS;
/** After this time a mail is given up: its enquiries stay in the console. */
export const MAIL_GIVEN_UP_MS = 3 * DAY_MS;

const WAITS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];

/** Returns how long to wait after this number of attempts. */
export function mailWaitMs(attempts: number): number {
  return WAITS_MS[attempts - 1] ?? HOUR_MS;
}

/** A mail to staff about enquiries. */
export interface Mail {
  readonly id: bigint;
  /** A part of its Message-ID, the same at each attempt. */
  readonly name: string;
  readonly createdAt: number;
  /** This one included. */
  readonly attempts: number;
}

/** An enquiry in a mail. */
export interface QuotedEnquiry extends Enquiry {
  /** Null if the animal was removed. */
  readonly petName: string | null;
}

/** A mail that was taken to be sent. */
export interface TakenMail {
  readonly mail: Mail;
  /** The enquiries that it is about, of which it quotes the first. None is left if all were erased. */
  readonly count: number;
  readonly quoted: readonly QuotedEnquiry[];
}

/** The storage contract of mails. The queue is the enquiries that no mail has told staff about yet. */
export interface MailStorage {
  /** Returns whether `take` may find something: costs a read only. */
  isDue(now: number, atStart: boolean): Promise<boolean>;
  /**
   * Takes the mail that is due, or makes one of what came since the last. `name` is that of a new one.
   * At a start, one that waits for its next attempt is due too. Nobody else gets it for `MAIL_LEASE_MS`.
   */
  take(name: string, now: number, atStart: boolean): Promise<TakenMail | undefined>;
  /** Notes that a mail was sent or given up. */
  end(id: bigint, now: number): Promise<void>;
  /** Gives a mail back, to be sent from a time on. */
  retry(id: bigint, nextAttemptAt: number): Promise<void>;
}

export const MAIL_OUTCOMES = ['sent', 'failed', 'given_up'] as const;

/** The mails of a process, for the metrics: attempts by outcome. */
export type MailReport = Readonly<Record<(typeof MAIL_OUTCOMES)[number], number>>;
