import type { Decision, LimitRules, QuotaStatus, Refusal } from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import { DAY_MS, MINUTE_MS } from '../domain/clock.ts';
import { type BanState, countRefusal, isBanned, lift } from './bans.ts';
import { keyStatus } from './quota-status.ts';
import { turnTo, type WindowCount, windowStart } from './windows.ts';

/** The counts and bans of a family of keys. */
export interface KeyCounts extends BanState {
  readonly minute: WindowCount;
  readonly day: WindowCount;
}

/** Charges a request to these counts and returns the decision. */
export function chargeCounts(
  counts: KeyCounts,
  caller: Caller,
  now: number,
  rules: LimitRules,
): Decision {
  lift(counts, caller.unbannedAt);
  turn(counts, now);
  const refusal = refusalOf(counts, caller, now);
  if (refusal === undefined) {
    counts.minute.used++;
    counts.day.used++;
  }
  // Taken before the refusal is counted: the refusal that completes the count is not yet a ban.
  const quota = quotaOf(counts, caller, now);
  const isCounted = refusal === 'minute' || refusal === 'day';
  const setsBan = isCounted && countRefusal(counts, counts.minute.start, now, rules);
  return setsBan ? { quota, refusal, setsBan } : { quota, refusal };
}

/** Returns the quota status that these counts stand for at `now`. */
export function quotaAt(counts: KeyCounts, caller: Caller, now: number): QuotaStatus {
  turn(counts, now);
  return quotaOf(counts, caller, now);
}

/** Turns both windows to `now`. The functions below expect this. */
function turn({ minute, day }: KeyCounts, now: number): void {
  turnTo(minute, windowStart(now, MINUTE_MS));
  turnTo(day, windowStart(now, DAY_MS));
}

/** Why one more request would be refused, if it would. */
function refusalOf(counts: KeyCounts, { plan }: Caller, now: number): Refusal | undefined {
  if (isBanned(counts, now)) return 'banned';
  if (counts.day.used >= plan.perDay) return 'day';
  return counts.minute.used >= plan.perMinute ? 'minute' : undefined;
}

function quotaOf(counts: KeyCounts, { plan }: Caller, now: number): QuotaStatus {
  const { minute, day, bannedUntil } = counts;
  return keyStatus(plan, { minuteUsed: minute.used, dayUsed: day.used, bannedUntil }, now);
}
