/** The time of day. Passed in, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: Date.now };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The number of a day since the Unix epoch, in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

const UNIT_MS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;
const DURATION = /^([1-9][0-9]{0,5}|0)(s|m|h|d)$/;

/** Parses `30s`, `15m`, `24h` or `90d` into milliseconds. Returns undefined for anything else. */
export function durationFromText(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, count = '', unit = ''] = match;
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return undefined;
  return Number(count) * UNIT_MS[unit];
}
