import type { Decision, Standing, WindowStanding } from '../../domain/allowance.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { FieldGroup, Fields } from '../../http/response.ts';

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

/** What is said of a caller's windows that the next request of the same millisecond finds the same. */
interface Windows {
  readonly standing: Standing;
  readonly tightest: WindowStanding;
  /** All fields but those that say how much remains. */
  readonly fields: FieldGroup;
  /** What stands in RateLimit between what remains of the minute and of the day, and after it. */
  readonly between: string;
  readonly end: string;
}

let last: Windows | undefined;

/** Puts the texts together, unless they are those of the request before. */
function windowsOf(standing: Standing, window: WindowStanding): Windows {
  const isSame =
    last !== undefined &&
    last.standing.at === standing.at &&
    last.standing.bannedUntil === standing.bannedUntil &&
    isSameWindow(last.standing.minute, standing.minute) &&
    isSameWindow(last.standing.day, standing.day) &&
    isSameWindow(last.tightest, window);
  if (last === undefined || !isSame) last = writeWindows(standing, window);
  return last;
}

function isSameWindow(one: WindowStanding | undefined, other: WindowStanding | undefined): boolean {
  return one?.limit === other?.limit && one?.resetsAt === other?.resetsAt;
}

function writeWindows(standing: Standing, tightest: WindowStanding): Windows {
  const { at, minute, day, bannedUntil } = standing;
  const resetsAt = (of: WindowStanding) => bannedUntil ?? of.resetsAt;
  const minuteEnd = `;t=${secondsUntil(resetsAt(minute), at)}`;
  const minutePolicy = `"minute";q=${minute.limit};w=${MINUTE_S}`;
  return {
    ...{ standing, tightest },
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
  const { minute, day, bannedUntil } = decision.standing;
  const window = tightest(decision);
  const windows = windowsOf(decision.standing, window);
  const remaining = (of: WindowStanding) => String(bannedUntil === undefined ? of.remaining : 0);
  const inMinute = remaining(minute);
  const inDay = day === undefined ? '' : remaining(day);
  fields.keep(windows.fields);
  fields.set('x-ratelimit-remaining', window === minute ? inMinute : inDay);
  fields.set('ratelimit', `"minute";r=${inMinute}${windows.between}${inDay}${windows.end}`);
}
