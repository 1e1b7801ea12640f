import type { Caller } from './api-key.ts';

/** The status of one window of a plan. */
export interface WindowStatus {
  /** Requests allowed in the window. */
  readonly limit: number;
  /** Requests that remain, never below 0. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since the Unix epoch; always a whole second. */
  readonly resetsAt: number;
}

/** The quota status of a caller, which every response reports. */
export interface QuotaStatus {
  /**
   * When this was read, in milliseconds since the Unix epoch, by the clock that the windows follow:
   * ours, or that of Valkey when it counts for several instances. Seconds in headers count from it.
   */
  readonly at: number;
  readonly minute: WindowStatus;
  /** Absent for callers without a key, who only have a minute window. */
  readonly day: WindowStatus | undefined;
  /** The end of the current ban, in milliseconds since the Unix epoch. */
  readonly bannedUntil: number | undefined;
}

/** Why a request was refused. `day` if both windows are used up, since it ends later. */
export type Refusal = 'minute' | 'day' | 'banned';

/** The decision of a limiter. A refusal is a result, not an error. */
export interface Decision {
  readonly quota: QuotaStatus;
  readonly refusal: Refusal | undefined;
  /** Present if this refusal starts a ban. */
  readonly setsBan?: true;
}

/** The rules for bans and for callers without a key. */
export interface LimitRules {
  /** Refusals within a UTC minute after which a key is banned. */
  readonly banRefusals: number;
  /** The length of a first ban. It doubles with each further ban within a day. */
  readonly banSeconds: number;
  readonly banMaxSeconds: number;
  /** Requests without a valid key that an address may send in a UTC minute. */
  readonly anonymousPerMinute: number;
}

/** Public pages that an address may see in a UTC minute, besides its requests to the interface. */
const PAGES_PER_MINUTE = 300;
const VISITOR = 'pages ';
/** Pictures, styles and scripts: each counts as a tenth of a page. */
const FILES_PER_MINUTE = 10 * PAGES_PER_MINUTE;
const FILE_VISITOR = 'files ';

/** What the pages that an address sees are charged to. */
export function pageVisitor(group: string): string {
  return VISITOR + group;
}

/** What the files of pages are charged to: photos, styles and scripts. */
export function fileVisitor(group: string): string {
  return FILE_VISITOR + group;
}

/** Returns how many requests without a key an address, or a visitor of pages, may send in a minute. */
export function perMinuteOf(group: string, rules: Pick<LimitRules, 'anonymousPerMinute'>): number {
  if (group.startsWith(FILE_VISITOR)) return FILES_PER_MINUTE;
  return group.startsWith(VISITOR) ? PAGES_PER_MINUTE : rules.anonymousPerMinute;
}

/** A wait for events of at least this many seconds is not charged; a key may have this many such waits at once. */
export const FREE_WAIT_MIN_S = 10;
export const FREE_WAITS_MAX = 10;

/**
 * Counts requests against plans, in fixed windows: the UTC minute and the UTC day. A request is
 * charged to both, or refused and charged to neither if one of them is used up. `now` is in
 * milliseconds since the Unix epoch. Throws if the limiter itself fails.
 *
 * All keys of a family share one allowance and one ban, so a rotation gives nobody a second
 * allowance. It is stored under the id of the first key, the `familyId` of a caller.
 */
export interface Limiter {
  /** Charges a request to the family of a key, under the plan of that key. */
  charge(caller: Caller, now: number): Decision | Promise<Decision>;
  /** Returns the quota status of a key without charging it. */
  peek(caller: Caller, now: number): Promise<QuotaStatus>;
  /** Charges a request without a valid key to an address (`addressGroup` in client-address.ts). */
  chargeAddress(group: string, now: number): Promise<Decision>;
  /** Returns the quota status of an address without charging it. */
  peekAddress(group: string, now: number): Promise<QuotaStatus>;
  /** Saves what has changed since the last flush. */
  flush(): Promise<void>;
  /** Returns the allowances of these families. Families that never sent a request are left out. */
  report(familyIds: readonly bigint[]): Promise<readonly Allowance[]>;
  /** Returns the state of shared counting; undefined for one that counts by itself. */
  sharing(): Sharing | undefined;
  /** Closes its connections. It must not be used afterwards. */
  close(): Promise<void>;
}

/** The state of a limiter that shares its counts with other instances. */
interface Sharing {
  /** False during an outage. */
  readonly shared: boolean;
  /** Times that the connection was lost since the start. */
  readonly outages: number;
  /** Requests that this process decided from its own counts during an outage. */
  readonly localFallbacks: number;
}

/**
 * Use of a fixed window and of the one counted before it, so that a clock that is set back a little
 * finds its earlier counts. Starts are in milliseconds since the Unix epoch.
 */
export interface WindowUse {
  readonly start: number;
  readonly used: number;
  readonly otherStart: number;
  readonly otherUsed: number;
}

/** The stored counts of a family, which survive a restart. Times in milliseconds since the Unix epoch. */
export interface Allowance {
  /** The first key of the family. */
  readonly keyId: bigint;
  readonly minute: WindowUse;
  readonly day: WindowUse;
  /** Refusals in the minute that starts at `refusalsStart`. */
  readonly refusalsStart: number;
  readonly refusals: number;
  /** Number of bans so far, each within a day of the one before. */
  readonly bans: number;
  readonly bannedUntil: number;
  /** The latest `unbannedAt` of a key that took effect. */
  readonly unbannedAt: number;
}

/** The storage contract of allowances. */
export interface AllowanceStorage {
  find(keyId: bigint): Promise<Allowance | undefined>;
  list(): Promise<readonly Allowance[]>;
  /** Replaces the allowances of these families. If it throws, some may have been replaced. */
  save(allowances: readonly Allowance[]): Promise<void>;
}
