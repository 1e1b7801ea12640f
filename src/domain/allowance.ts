import type { Caller } from './caller.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Where a caller stands in one window of a plan. */
export interface WindowStatus {
  /** Requests that the window lets through. */
  readonly limit: number;
  /** How many of them are left, 0 at the least. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since the Unix epoch; always a whole second. */
  readonly resetsAt: number;
}

/** Where a caller stands: what every answer tells. */
export interface QuotaStatus {
  /**
   * When this was so, in milliseconds since the Unix epoch, by the clock that the windows follow:
   * ours, or that of the engine which counts for many of us. What is told in seconds counts from it.
   */
  readonly at: number;
  readonly minute: WindowStatus;
  /** Absent for callers without a key: they have a minute window only. */
  readonly day: WindowStatus | undefined;
  /** The end of a ban in force, in milliseconds since the Unix epoch. */
  readonly bannedUntil: number | undefined;
}

/** Why a request was refused. Where both windows are used up, the day: it ends later. */
export type Refusal = 'minute' | 'day' | 'banned';

/** What a limiter answers: a refusal is a result like any other. */
export interface Decision {
  readonly quota: QuotaStatus;
  readonly refusal: Refusal | undefined;
  /** Whether this refusal was one too many, so that a ban begins. */
  readonly setsBan?: true;
}

/** How refusals and callers without a key are dealt with. */
export interface LimitRules {
  /** Refusals within a UTC minute after which a key is banned. */
  readonly banRefusals: number;
  /** The length of a first ban; it doubles with each further one within a day. */
  readonly banMs: number;
  readonly banMaxMs: number;
  /** Requests without a valid key that an address may send in a UTC minute. */
  readonly anonymousPerMinute: number;
}

/** How often a banned key may ask for its usage in a UTC minute, per instance. */
export const BANNED_LOOKUPS = 60;

/**
 * Counts requests against plans, in fixed windows: the UTC minute and the UTC day. Each request
 * is charged to both or, where one of them is used up, refused and charged to none. `now` is in
 * milliseconds since the Unix epoch. A limiter that breaks down throws.
 *
 * The keys of a family have one allowance between them, and one ban, so a rotation gives nobody a
 * second allowance. It is kept under the id of the first key, `familyId` of a caller.
 */
export interface Limiter {
  /** Charges a request to the family of a key, by the plan of the key. */
  charge(caller: Caller, now: number): MaybePromise<Decision>;
  /** Says where a key stands, at no cost. */
  look(caller: Caller, now: number): MaybePromise<QuotaStatus>;
  /** Charges a request without a valid key to an address (`addressGroup` in client-address.ts). */
  chargeAddress(group: string, now: number): MaybePromise<Decision>;
  /** Says where an address stands, at no cost. */
  lookAddress(group: string, now: number): MaybePromise<QuotaStatus>;
  /** Writes down what has changed since the last time. */
  flush(): MaybePromise<void>;
  /** What is kept of these families, leaving out those that nothing is known of. */
  report(familyIds: readonly bigint[]): MaybePromise<readonly Allowance[]>;
  /** How it fares with the engine that counts for many; undefined for one that counts alone. */
  sharing(): Sharing | undefined;
  /** Lets go of what it holds open. Nothing may be asked of it afterwards. */
  close(): MaybePromise<void>;
}

/** How a limiter fares that shares its counts with others. */
export interface Sharing {
  /** Whether counts are shared at this moment. */
  readonly shared: boolean;
  /** How often the engine was lost since the start. */
  readonly outages: number;
  /** Requests that were decided without the engine, by counts of this process alone. */
  readonly decidedAlone: number;
}

/**
 * Use of a fixed window, and of the one that was counted before it: a clock that is set back a
 * little comes back to counts that were not forgotten. Beginnings in milliseconds since the epoch.
 */
export interface WindowUse {
  readonly start: number;
  readonly used: number;
  readonly otherStart: number;
  readonly otherUsed: number;
}

/** What is kept of a family's counts, so that a restart forgets none. Times in milliseconds. */
export interface Allowance {
  /** The first key of the family. */
  readonly keyId: bigint;
  readonly minute: WindowUse;
  readonly day: WindowUse;
  /** Refusals in the minute that begins at `refusalsStart`. */
  readonly refusalsStart: number;
  readonly refusals: number;
  /** How many bans followed each other within a day; 0 where none did. */
  readonly bans: number;
  readonly bannedUntil: number;
  /** The `unbannedAt` of the key that was heeded last. */
  readonly unbannedAt: number;
}

export interface AllowanceStorage {
  find(keyId: bigint): MaybePromise<Allowance | undefined>;
  list(): MaybePromise<readonly Allowance[]>;
  /** Replaces what was kept of these keys; where it throws, of some of them or none. */
  save(allowances: readonly Allowance[]): MaybePromise<void>;
}
