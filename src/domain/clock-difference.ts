import { MINUTE_MS, SECOND_MS } from './clock.ts';
import { advice, type Finding, failed, passed } from './finding.ts';

/** Bans, expiries and windows are reported in seconds. */
const NOTICED_MS = 2 * SECOND_MS;
/** Beyond, instances are in different windows of a minute. */
const HARMFUL_MS = MINUTE_MS;

/** Judges a difference between our clock and that of `other`; negative if `other` is behind. */
export function clockDifference(other: string, differenceMs: number): Finding {
  const apart = Math.abs(differenceMs);
  const text = `The clock of ${other} is ${(apart / SECOND_MS).toFixed(1)} s`;
  const found = `${text} ${differenceMs < 0 ? 'behind' : 'ahead of'} the clock of this machine.`;
  if (apart < NOTICED_MS) return passed('clock', `This machine and ${other} agree on the time.`);
  const todo = 'Synchronise both with the same time source, such as chrony with NTP.';
  return apart < HARMFUL_MS ? advice('clock', found, todo) : failed('clock', found, todo);
}
