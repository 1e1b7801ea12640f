import { DAY_MS, SECOND_MS } from './clock.ts';

/** Without a confirmation in this time, an alert is erased. */
export const CONFIRM_MS = 7 * DAY_MS;
/** How long a confirmed alert lasts. */
export const ALERT_MS = 365 * DAY_MS;
/** The least time between two mails of an alert. */
export const ALERT_PAUSE_MS = DAY_MS;
/** Alerts of one address; with more, the oldest that is not confirmed makes room. */
export const ALERTS_OF_ADDRESS_MAX = 5;
/**
 * An animal is told of once it has been listed for this long: by then those that other processes listed before it are
 * seen too, though their clocks differ a little, and so is a mistake of staff.
 */
export const LISTED_FOR_MS = 10 * SECOND_MS;
/** Animals that a mail names. Of more it gives the number. */
export const TOLD_MAX = 10;

/** Somebody wants to hear of animals that match a search. It is erased as soon as it ends. */
export interface Alert {
  readonly id: bigint;
  /** Names it in links. */
  readonly name: string;
  readonly email: string;
  /** The query of a list: `species=dog&size=small`. */
  readonly search: string;
  readonly language: string;
  readonly createdAt: number;
  /** Null until somebody followed the link in its mail. */
  readonly confirmedAt: number | null;
  readonly endsAt: number;
  /** Animals listed up to this time were told, or did not match. */
  readonly seenAt: number;
}

/** An alert as the form sends it. */
export interface NewAlert extends Pick<Alert, 'name' | 'email' | 'search' | 'language'> {
  /** The name of its mail. */
  readonly mailName: string;
  /** Keyed hashes of the address, and of the visitor. */
  readonly receiver: string;
  readonly sender: string;
}

/** The alerts for one search. */
export interface AlertCount {
  readonly search: string;
  readonly confirmed: number;
  /** Those that wait for their confirmation. */
  readonly waiting: number;
}

/** An alert for which it is to be seen whether new animals match. */
export type DueAlert = Pick<Alert, 'id' | 'search' | 'seenAt'>;

/** Alerts that may get a mail: of animals that were listed up to a time. */
export interface DueAlerts {
  readonly upTo: number;
  readonly alerts: readonly DueAlert[];
}

/** The storage contract of alerts. */
export interface AlertStorage {
  /**
   * Stores an alert with its mail, unless that would be one too many: then nothing is stored, and whoever asks
   * does not learn it. Returns false if this visitor has asked for too many.
   */
  request(alert: NewAlert, at: number): Promise<boolean>;
  /** Returns an alert that has not ended at `now`. */
  find(name: string, now: number): Promise<Alert | undefined>;
  /** Confirms it: another one of this address for the same search ends. Returns undefined if it has ended, or was confirmed before. */
  confirm(name: string, at: number): Promise<Alert | undefined>;
  /** Erases it. */
  end(name: string): Promise<void>;
  /** Counts alerts by search, most first, at most `limit` searches. */
  counts(now: number, limit: number): Promise<readonly AlertCount[]>;
  /** Returns at most `limit` confirmed alerts that may get a mail at `now`, since animals were listed that they have not seen. */
  due(now: number, limit: number): Promise<DueAlerts>;
  /** Makes a mail for each of `matched`, and notes that the others have seen what was listed up to `seenAt`. */
  examined(
    term: bigint,
    matched: readonly { readonly id: bigint; readonly mailName: string }[],
    others: readonly bigint[],
    seenAt: number,
    now: number,
  ): Promise<void>;
  /** Erases those that ended at or before `now`, at most `most`. Returns the number. */
  removeEnded(now: number, most: number): Promise<number>;
}
