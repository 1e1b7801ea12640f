import type { Decision, WindowStanding } from '../domain/allowance.ts';
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

/**
 * The same text as `make` gives, made anew only for another number than the last one. Limits are
 * those of a few plans and the rest changes once a second: the five fields cost 0.4 µs, not 0.9.
 */
function rememberLast(make: (value: number) => string): (value: number) => string {
  let last = Number.NaN;
  let text = '';
  return (value) => {
    if (value !== last) {
      last = value;
      text = make(value);
    }
    return text;
  };
}

const MINUTE_S = MINUTE_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;

const limitText = rememberLast(String);
const resetText = rememberLast(String);
const minutePolicy = rememberLast((limit) => `"minute";q=${limit};w=${MINUTE_S}`);
const dayPolicy = rememberLast((limit) => `, "day";q=${limit};w=${DAY_S}`);
const minuteEnd = rememberLast((seconds) => `;t=${seconds}`);
const dayEnd = rememberLast((seconds) => `;t=${seconds}`);

/**
 * Sets the fields that say where a caller stands: X-RateLimit-Limit, -Remaining and -Reset (Unix
 * seconds), and RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. During
 * a ban nothing remains, and all of it resets at the end of the ban.
 */
export function setRateLimit(fields: Fields, decision: Decision): void {
  const { at: now, minute, day, bannedUntil } = decision.standing;
  const window = tightest(decision);
  const remaining = (of: WindowStanding) => (bannedUntil === undefined ? of.remaining : 0);
  const resetsAt = (of: WindowStanding) => bannedUntil ?? of.resetsAt;

  let policy = minutePolicy(minute.limit);
  let state = `"minute";r=${remaining(minute)}${minuteEnd(secondsUntil(resetsAt(minute), now))}`;
  if (day !== undefined) {
    policy += dayPolicy(day.limit);
    state += `, "day";r=${remaining(day)}${dayEnd(secondsUntil(resetsAt(day), now))}`;
  }
  fields.keep('x-ratelimit-limit', limitText(window.limit));
  fields.set('x-ratelimit-remaining', String(remaining(window)));
  fields.keep('x-ratelimit-reset', resetText(Math.ceil(resetsAt(window) / SECOND_MS)));
  fields.keep('ratelimit-policy', policy);
  fields.set('ratelimit', state);
}
