import { MINUTE_MS, SECOND_MS } from './clock.ts';
import { advice, type Finding, failed, passed } from './finding.ts';

/** Bans, expiries and windows are told in seconds. */
const NOTICED_MS = 2 * SECOND_MS;
/** Beyond, instances are in different windows of a minute. */
const HARMFUL_MS = MINUTE_MS;

/** Says what it means that the clock of `other` differs from ours by so many milliseconds. */
export function clockDifference(other: string, differenceMs: number): Finding {
  const apart = Math.abs(differenceMs);
  const text = `The clock of ${other} is ${(apart / SECOND_MS).toFixed(1)} s`;
  const found = `${text} ${differenceMs < 0 ? 'behind' : 'ahead of'} that of this machine.`;
  if (apart < NOTICED_MS) return passed('clock', `This machine and ${other} agree on the time.`);
  const todo = 'Let both take their time from the same source, such as chrony with NTP.';
  return apart < HARMFUL_MS ? advice('clock', found, todo) : failed('clock', found, todo);
}
