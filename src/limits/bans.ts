import type { LimitRules } from '../domain/allowance.ts';
import { DAY_MS } from '../domain/clock.ts';

/** The refusals and bans of a key. Times in milliseconds since the Unix epoch. */
export interface BanState {
  refusalsStart: number;
  refusals: number;
  bans: number;
  bannedUntil: number;
  unbannedAt: number;
}

export function isBanned(state: BanState, now: number): boolean {
  return now < state.bannedUntil;
}

/**
 * Counts a refusal in the minute that starts at `minuteStart`. Returns true if this refusal sets a
 * ban.
 */
export function countRefusal(
  state: BanState,
  minuteStart: number,
  now: number,
  rules: LimitRules,
): boolean {
  if (state.refusalsStart !== minuteStart) {
    state.refusalsStart = minuteStart;
    state.refusals = 0;
  }
  state.refusals++;
  if (state.refusals < rules.banRefusals) return false;
  if (now - state.bannedUntil >= DAY_MS) state.bans = 0;
  const length = Math.min(rules.banMs * 2 ** state.bans, rules.banMaxMs);
  state.bans++;
  state.refusals = 0;
  state.bannedUntil = now + length;
  return true;
}

/**
 * Applies an unban at `unbannedAt` once: it ends the ban and resets the refusals and the doubling.
 * Returns true if anything changed.
 */
export function lift(state: BanState, unbannedAt: number | null): boolean {
  if (unbannedAt === null || unbannedAt <= state.unbannedAt) return false;
  state.unbannedAt = unbannedAt;
  state.refusals = 0;
  state.bans = 0;
  state.bannedUntil = 0;
  return true;
}
