import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isTrusted } from '../domain/retention.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('clock');
/** This release is newer than the first date, and out of use by the second. */
const BEGINNING = Date.UTC(2026, 0, 1);
const END = Date.UTC(2100, 0, 1);
/** Bans, expiries and windows are reported in seconds. */
const NOTICED_MS = 2 * SECOND_MS;
/** Beyond, instances are in different windows of a minute. */
const HARMFUL_MS = MINUTE_MS;

/** Checks that the clock of this machine is plausible. */
export function* clockFindings(clock: Clock): Generator<Finding> {
  const now = clock.now();
  const text = recordedTime(now);
  yield now >= BEGINNING && now < END
    ? good(`It is ${text} UTC.`)
    : bad(`The clock of this machine says ${text} UTC.
        → Set it and keep it right with chrony or systemd-timesyncd: keys, bans and limits depend on it.`);
}

/** Returns a recorded time as text, up to the second: a clock may have been anywhere when it was written. */
export function recordedTime(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? 'no valid time' : time.toISOString().slice(0, 19);
}

/** Judges this clock by the newest record of a database, or the last run of its retention. */
export function recordFinding(newest: number, now: number): Finding {
  const text = recordedTime(newest);
  if (isTrusted(now, newest)) return good(`It fits the newest record, of ${text} UTC.`);
  const days = Math.round(Math.abs(now - newest) / DAY_MS);
  const [side, judge] = now < newest ? (['before', bad] as const) : (['after', advice] as const);
  return judge(`It is ${days} days ${side} the newest record, of ${text} UTC.
    → Set the clock right. Until then the service erases nothing; if it is right, run \`petstore erase --now\`.`);
}

/** Judges a difference between our clock and that of `other`; negative if `other` is behind. */
export function clockDifference(other: string, differenceMs: number): Finding {
  const apart = Math.abs(differenceMs);
  if (apart < NOTICED_MS) return good(`This machine and ${other} agree on the time.`);
  const side = differenceMs < 0 ? 'behind' : 'ahead of';
  const judge = apart < HARMFUL_MS ? advice : bad;
  return judge(`The clock of ${other} is ${(apart / SECOND_MS).toFixed(1)} s ${side} the clock of this machine.
    → Synchronise both with the same time source, such as chrony with NTP.`);
}
