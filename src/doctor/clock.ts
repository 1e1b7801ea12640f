import type { Clock } from '../domain/clock.ts';
import { type Finding, failed, passed } from '../domain/finding.ts';

/** This release was made after the first, and is not used after the second. */
const BEGINNING = Date.UTC(2026, 0, 1);
const END = Date.UTC(2100, 0, 1);

/** Says whether the clock of this machine can be right at all. */
export function clockFindings(clock: Clock): Finding[] {
  const now = clock.now();
  const text = new Date(now).toISOString().slice(0, 19);
  if (now >= BEGINNING && now < END) return [passed('clock', `It is ${text} UTC.`)];
  return [
    failed(
      'clock',
      `The clock of this machine says ${text} UTC.`,
      'Set it, and let chrony or systemd-timesyncd keep it: keys, bans and windows follow it.',
    ),
  ];
}
