import type { Decision, Standing, WindowStanding } from '../domain/allowance.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import type { Fields } from '../http/answer.ts';

/** Whole seconds from `now` until `at`, never too few and 1 at the least. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / SECOND_MS));
}

/**
 * The window that the X-RateLimit fields describe: the one that refused, else the one with the
 * least remaining, the minute on a tie.
 */
function tightest({ standing, refusal }: Decision): WindowStanding {
  const { minute, day } = standing;
  if (day === undefined || refusal === 'minute') return minute;
  if (refusal === 'day') return day;
  return day.remaining < minute.remaining ? day : minute;
}

const MINUTE_S = MINUTE_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;

function policyOf({ minute, day }: Standing): string {
  const perMinute = `"minute";q=${minute.limit};w=${MINUTE_S}`;
  return day === undefined ? perMinute : `${perMinute}, "day";q=${day.limit};w=${DAY_S}`;
}

function item(name: string, remaining: number, resetsAt: number, now: number): string {
  return `"${name}";r=${remaining};t=${secondsUntil(resetsAt, now)}`;
}

/**
 * Sets the fields that say where a caller stands: X-RateLimit-Limit, -Remaining and -Reset (Unix
 * seconds), and RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. During
 * a ban nothing remains, and all of it resets at the end of the ban.
 */
export function setRateLimit(fields: Fields, decision: Decision): void {
  const { standing } = decision;
  const { at: now, minute, day, bannedUntil } = standing;
  const window = tightest(decision);
  const banned = bannedUntil !== undefined;
  const state = (name: string, { remaining, resetsAt }: WindowStanding) =>
    item(name, banned ? 0 : remaining, bannedUntil ?? resetsAt, now);
  const resetsAt = bannedUntil ?? window.resetsAt;
  const perMinute = state('minute', minute);
  fields.set('x-ratelimit-limit', String(window.limit));
  fields.set('x-ratelimit-remaining', String(banned ? 0 : window.remaining));
  fields.set('x-ratelimit-reset', String(Math.ceil(resetsAt / SECOND_MS)));
  fields.set('ratelimit-policy', policyOf(standing));
  fields.set('ratelimit', day === undefined ? perMinute : `${perMinute}, ${state('day', day)}`);
}
