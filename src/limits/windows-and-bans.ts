import type {
  Allowance,
  Decision,
  LimitRules,
  QuotaStatus,
  Refusal,
  WindowStatus,
  WindowUse,
} from '../domain/allowance.ts';
import type { Caller } from '../domain/api-key.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import type { Plan } from '../domain/plan.ts';

/*
 * How a charge changes counts and bans. valkey-key.lua does the same for shared limits: change both.
 */

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The counts and bans of a family of keys: its allowance, which can be changed here. */
export interface KeyCounts extends Mutable<Omit<Allowance, 'minute' | 'day'>> {
  readonly minute: Mutable<WindowUse>;
  readonly day: Mutable<WindowUse>;
}

const UNUSED = { start: 0, used: 0, otherStart: 0, otherUsed: 0 };
const NEVER = { refusalsStart: 0, refusals: 0, bans: 0, bannedUntil: 0, unbannedAt: 0 };

/** Returns a copy of the stored counts of a family; empty counts if nothing is stored. */
export function countsOf(
  keyId: bigint,
  { minute = UNUSED, day = UNUSED, ...stored }: Partial<Allowance> = NEVER,
): KeyCounts {
  return { ...NEVER, ...stored, keyId, minute: { ...minute }, day: { ...day } };
}

/** Charges a request to these counts and returns the decision. */
export function chargeCounts(
  counts: KeyCounts,
  caller: Caller,
  now: number,
  rules: LimitRules,
): Decision {
  lift(counts, caller.unbannedAt);
  // A clock that was ahead leaves a ban that is longer than any.
  if (counts.bannedUntil - now > rules.banMaxSeconds * SECOND_MS) counts.bannedUntil = 0;
  turn(counts, now);
  const refusal = refusalOf(counts, caller, now);
  if (refusal === undefined) {
    counts.minute.used++;
    counts.day.used++;
  }
  // Taken before the refusal is counted: the refusal that completes the count is not yet a ban.
  const quota = quotaOf(counts, caller, now);
  const isCounted = refusal === 'minute' || refusal === 'day';
  const setsBan = isCounted && countRefusal(counts, now, rules);
  return setsBan ? { quota, refusal, setsBan } : { quota, refusal };
}

/** Returns the quota status of these counts at `now`. */
export function quotaAt(counts: KeyCounts, caller: Caller, now: number): QuotaStatus {
  turn(counts, now);
  return quotaOf(counts, caller, now);
}

/** Takes over the counts of other instances where they are higher. */
export function noteUse(counts: KeyCounts, { unbannedAt }: Caller, use: KeyUse, now: number): void {
  lift(counts, unbannedAt);
  turn(counts, now);
  counts.minute.used = Math.max(counts.minute.used, use.minuteUsed);
  counts.day.used = Math.max(counts.day.used, use.dayUsed);
  if (use.bannedUntil <= counts.bannedUntil) return;
  // A ban that is not over yet doubles the next one.
  counts.bans = Math.max(counts.bans, 1);
  counts.bannedUntil = use.bannedUntil;
}

/** Turns both windows to `now`. The functions below expect this. */
function turn({ minute, day }: KeyCounts, now: number): void {
  turnTo(minute, windowStart(now, MINUTE_MS));
  turnTo(day, windowStart(now, DAY_MS));
}

/** Why one more request would be refused, if it would. */
function refusalOf(counts: KeyCounts, { plan }: Caller, now: number): Refusal | undefined {
  if (now < counts.bannedUntil) return 'banned';
  if (counts.day.used >= plan.perDay) return 'day';
  return counts.minute.used >= plan.perMinute ? 'minute' : undefined;
}

function quotaOf(counts: KeyCounts, { plan }: Caller, now: number): QuotaStatus {
  const { minute, day, bannedUntil } = counts;
  return keyStatus(plan, { minuteUsed: minute.used, dayUsed: day.used, bannedUntil }, now);
}

/** Returns the start of the fixed window of this length that contains `now`. UTC, as the epoch is. */
function windowStart(now: number, lengthMs: number): number {
  return Math.floor(now / lengthMs) * lengthMs;
}

/** Turns a count to the window that starts at `start`. */
function turnTo(count: Mutable<WindowUse>, start: number): void {
  if (count.start === start) return;
  const { start: leftStart, used: leftUsed } = count;
  count.used = count.otherStart === start ? count.otherUsed : 0;
  count.start = start;
  count.otherStart = leftStart;
  count.otherUsed = leftUsed;
}

/** Counts a refusal in the current minute. Returns whether it sets a ban. */
function countRefusal(state: KeyCounts, now: number, rules: LimitRules): boolean {
  if (state.refusalsStart !== state.minute.start) {
    state.refusalsStart = state.minute.start;
    state.refusals = 0;
  }
  state.refusals++;
  if (state.refusals < rules.banRefusals) return false;
  if (now - state.bannedUntil >= DAY_MS) state.bans = 0;
  const seconds = Math.min(rules.banSeconds * 2 ** state.bans, rules.banMaxSeconds);
  state.bans++;
  state.refusals = 0;
  state.bannedUntil = now + seconds * SECOND_MS;
  return true;
}

/**
 * Applies an unban at `unbannedAt` once: it ends the ban and resets the refusals and the doubling.
 * Returns true if anything changed.
 */
export function lift(state: KeyCounts, unbannedAt: number | null): boolean {
  if (unbannedAt === null || unbannedAt <= state.unbannedAt) return false;
  state.unbannedAt = unbannedAt;
  state.refusals = 0;
  state.bans = 0;
  state.bannedUntil = 0;
  return true;
}

/** Requests that a key has used in its windows, and the end of its last ban. */
export interface KeyUse {
  readonly minuteUsed: number;
  readonly dayUsed: number;
  readonly bannedUntil: number;
}

/** Returns the quota status of a key with this plan. */
export function keyStatus(plan: Plan, use: KeyUse, at: number): QuotaStatus {
  return {
    at,
    minute: windowStatus(plan.perMinute, use.minuteUsed, at, MINUTE_MS),
    day: windowStatus(plan.perDay, use.dayUsed, at, DAY_MS),
    bannedUntil: at < use.bannedUntil ? use.bannedUntil : undefined,
  };
}

/** Returns the quota status of an address, which only has a minute window. */
export function addressStatus(perMinute: number, used: number, at: number): QuotaStatus {
  const minute = windowStatus(perMinute, used, at, MINUTE_MS);
  return { at, minute, day: undefined, bannedUntil: undefined };
}

function windowStatus(limit: number, used: number, at: number, length: number): WindowStatus {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetsAt: windowStart(at, length) + length,
  };
}
