import type { Decision, QuotaStatus, WindowStatus } from '../../domain/allowance.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { Fields, HeaderValues } from '../../http/response.ts';

/** Whole seconds from `now` until `at`, never too few and 1 at the least. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / SECOND_MS));
}

/**
 * The window that the X-RateLimit fields describe: the one that refused, else the one with the
 * least remaining, the minute on a tie.
 */
function tightest({ quota, refusal }: Decision): WindowStatus {
  const { minute, day } = quota;
  if (day === undefined || refusal === 'minute') return minute;
  if (refusal === 'day') return day;
  return day.remaining < minute.remaining ? day : minute;
}

const MINUTE_S = MINUTE_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;

/** What is said of a caller's windows that the next request of the same millisecond finds the same. */
interface Windows {
  readonly standing: QuotaStatus;
  readonly tightest: WindowStatus;
  /** All fields but those that say how much remains. */
  readonly fields: HeaderValues;
  /** What stands in RateLimit between what remains of the minute and of the day, and after it. */
  readonly between: string;
  readonly end: string;
}

let last: Windows | undefined;

/** Puts the texts together, unless they are those of the request before. */
function windowsOf(quota: QuotaStatus, window: WindowStatus): Windows {
  const isSame =
    last !== undefined &&
    last.standing.at === quota.at &&
    last.standing.bannedUntil === quota.bannedUntil &&
    isSameWindow(last.standing.minute, quota.minute) &&
    isSameWindow(last.standing.day, quota.day) &&
    isSameWindow(last.tightest, window);
  if (last === undefined || !isSame) last = writeWindows(quota, window);
  return last;
}

function isSameWindow(one: WindowStatus | undefined, other: WindowStatus | undefined): boolean {
  return one?.limit === other?.limit && one?.resetsAt === other?.resetsAt;
}

function writeWindows(quota: QuotaStatus, tightest: WindowStatus): Windows {
  const { at, minute, day, bannedUntil } = quota;
  const resetsAt = (of: WindowStatus) => bannedUntil ?? of.resetsAt;
  const minuteEnd = `;t=${secondsUntil(resetsAt(minute), at)}`;
  const minutePolicy = `"minute";q=${minute.limit};w=${MINUTE_S}`;
  return {
    ...{ standing: quota, tightest },
    fields: {
      'x-ratelimit-limit': String(tightest.limit),
      'x-ratelimit-reset': String(Math.ceil(resetsAt(tightest) / SECOND_MS)),
      'ratelimit-policy': day ? `${minutePolicy}, "day";q=${day.limit};w=${DAY_S}` : minutePolicy,
    },
    between: day ? `${minuteEnd}, "day";r=` : minuteEnd,
    end: day ? `;t=${secondsUntil(resetsAt(day), at)}` : '',
  };
}

/**
 * Sets the fields that say where a caller stands: X-RateLimit-Limit, -Remaining and -Reset (Unix
 * seconds), and RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. During
 * a ban nothing remains, and all of it resets at the end of the ban.
 */
export function setRateLimit(fields: Fields, decision: Decision): void {
  const { minute, day, bannedUntil } = decision.quota;
  const window = tightest(decision);
  const windows = windowsOf(decision.quota, window);
  const remaining = (of: WindowStatus) => String(bannedUntil === undefined ? of.remaining : 0);
  const inMinute = remaining(minute);
  const inDay = day === undefined ? '' : remaining(day);
  fields.keep(windows.fields);
  fields.set('x-ratelimit-remaining', window === minute ? inMinute : inDay);
  fields.set('ratelimit', `"minute";r=${inMinute}${windows.between}${inDay}${windows.end}`);
}
