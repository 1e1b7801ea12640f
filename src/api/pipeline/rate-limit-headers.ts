import type { Decision, QuotaStatus, WindowStatus } from '../../domain/allowance.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { RateLimitHeaders } from '../../http/response-template.ts';

/** Returns the whole seconds from `now` until `at`, rounded up, at least 1. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / SECOND_MS));
}

/**
 * Returns the window that the X-RateLimit headers describe: the one that refused the request, or the
 * one with the least remaining. The minute wins a tie.
 */
function tightest({ quota, refusal }: Decision): WindowStatus {
  const { minute, day } = quota;
  if (day === undefined || refusal === 'minute') return minute;
  if (refusal === 'day') return day;
  return day.remaining < minute.remaining ? day : minute;
}

const MINUTE_S = MINUTE_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;

/** The parts of the headers that stay the same until a window ends. */
interface WindowTexts {
  readonly quota: QuotaStatus;
  readonly window: WindowStatus;
  readonly limit: string;
  readonly reset: string;
  readonly policy: string;
  /** The parts of RateLimit between the two remaining numbers, and after the second. */
  readonly between: string;
  readonly end: string;
}

function isSameWindow(one: WindowStatus | undefined, other: WindowStatus | undefined): boolean {
  return one?.limit === other?.limit && one?.resetsAt === other?.resetsAt;
}

function writeTexts(quota: QuotaStatus, window: WindowStatus): WindowTexts {
  const { at, minute, day, bannedUntil } = quota;
  const resetsAt = (of: WindowStatus) => bannedUntil ?? of.resetsAt;
  const minuteEnd = `;t=${secondsUntil(resetsAt(minute), at)}`;
  const minutePolicy = `"minute";q=${minute.limit};w=${MINUTE_S}`;
  return {
    quota,
    window,
    limit: String(window.limit),
    reset: String(Math.ceil(resetsAt(window) / SECOND_MS)),
    policy: day ? `${minutePolicy}, "day";q=${day.limit};w=${DAY_S}` : minutePolicy,
    between: day ? `${minuteEnd}, "day";r=` : minuteEnd,
    end: day ? `;t=${secondsUntil(resetsAt(day), at)}` : '',
  };
}

/**
 * Creates the writer of the rate limit headers: X-RateLimit-Limit, -Remaining and -Reset (Unix
 * seconds), and RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. During
 * a ban nothing remains, and everything resets when it ends. Texts are reused while the same
 * windows are described within the same millisecond.
 */
export function createRateLimitHeaders(): (decision: Decision) => RateLimitHeaders {
  let last: WindowTexts | undefined;

  function textsOf(quota: QuotaStatus, window: WindowStatus): WindowTexts {
    const isSame =
      last !== undefined &&
      last.quota.at === quota.at &&
      last.quota.bannedUntil === quota.bannedUntil &&
      isSameWindow(last.quota.minute, quota.minute) &&
      isSameWindow(last.quota.day, quota.day) &&
      isSameWindow(last.window, window);
    if (last === undefined || !isSame) last = writeTexts(quota, window);
    return last;
  }

  return (decision) => {
    const { minute, day, bannedUntil } = decision.quota;
    const window = tightest(decision);
    const texts = textsOf(decision.quota, window);
    const remaining = (of: WindowStatus) => String(bannedUntil === undefined ? of.remaining : 0);
    const inMinute = remaining(minute);
    const inDay = day === undefined ? '' : remaining(day);
    return {
      'x-ratelimit-limit': texts.limit,
      'x-ratelimit-remaining': window === minute ? inMinute : inDay,
      'x-ratelimit-reset': texts.reset,
      ratelimit: `"minute";r=${inMinute}${texts.between}${inDay}${texts.end}`,
      'ratelimit-policy': texts.policy,
    };
  };
}
