import { DAY_MS, SECOND_MS } from './clock.ts';

/** An alert that is not confirmed within this time is erased. */
export const CONFIRM_MS = 7 * DAY_MS;
/** How long a confirmed alert lasts. */
export const ALERT_MS = 365 * DAY_MS;
/** The shortest time between two mails of an alert. */
export const ALERT_PAUSE_MS = DAY_MS;
/** The most alerts of one address. The oldest unconfirmed one makes room for another. */
export const ALERTS_OF_ADDRESS_MAX = 5;
/**
 * Mails include an animal only once it has been listed for this long. By then, animals that other processes listed
 * before it are visible too, even if clocks differ a little, and staff have had time to undo a mistake.
 */
export const LISTED_FOR_MS = 10 * SECOND_MS;
/** The most animals that a mail names. It gives the number of the others. */
export const TOLD_MAX = 10;

/** A subscription to new animals that match a search. It is erased as soon as it ends. */
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
  /** Animals listed up to this time were in a mail, or did not match. */
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
  /** Not confirmed yet. */
  readonly waiting: number;
}

/** An alert to check against new animals. */
export type DueAlert = Pick<Alert, 'id' | 'search' | 'seenAt'>;

/** Alerts to check against animals listed up to a time. */
interface DueAlerts {
  readonly upTo: number;
  readonly alerts: readonly DueAlert[];
}

/** The storage contract of alerts. */
export interface AlertStorage {
  /**
   * Stores an alert with its confirmation mail. If the address has had too many mails, silently stores nothing. Returns
   * false if this visitor has sent too many forms.
   */
  request(alert: NewAlert, at: number): Promise<boolean>;
  /** Returns an alert that has not ended at `now`. */
  find(name: string, now: number): Promise<Alert | undefined>;
  /** Confirms an alert; ends an older one for the same search. Returns undefined if it has ended or is confirmed. */
  confirm(name: string, at: number): Promise<Alert | undefined>;
  /** Erases it. */
  end(name: string): Promise<void>;
  /** Counts alerts by search, most first, at most `limit` searches. */
  counts(now: number, limit: number): Promise<readonly AlertCount[]>;
  /** Returns at most `limit` alerts that may get a mail at `now` and were not checked against the newest animals. */
  due(now: number, limit: number): Promise<DueAlerts>;
  /** Makes a mail for each of `matched`, and notes that the others were checked up to `seenAt`. */
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
