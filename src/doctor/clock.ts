import type { Clock } from '../domain/clock.ts';
import { type Finding, failed, passed } from '../domain/finding.ts';

/** This release is newer than the first date, and out of use by the second. */
const BEGINNING = Date.UTC(2026, 0, 1);
const END = Date.UTC(2100, 0, 1);

/** Checks that the clock of this machine is plausible. */
export function clockFindings(clock: Clock): Finding[] {
  const now = clock.now();
  const text = new Date(now).toISOString().slice(0, 19);
  if (now >= BEGINNING && now < END) return [passed('clock', `It is ${text} UTC.`)];
  return [
    failed(
      'clock',
      `The clock of this machine says ${text} UTC.`,
      'Set it and keep it right with chrony or systemd-timesyncd: keys, bans and limits depend on it.',
    ),
  ];
}
