import type { QuotaStatus, WindowStatus } from '../domain/allowance.ts';
import { DAY_MS, MINUTE_MS } from '../domain/clock.ts';
import type { Plan } from '../domain/plan.ts';
import { windowStart } from './windows.ts';

/** Requests that a key has used in its windows, and the end of its last ban. */
export interface KeyUse {
  readonly minuteUsed: number;
  readonly dayUsed: number;
  readonly bannedUntil: number;
}

/** Returns the quota status of a key with this plan. */
export function keyStatus(plan: Plan, use: KeyUse, at: number): QuotaStatus {
  return {
    at,
    minute: windowStatus(plan.perMinute, use.minuteUsed, at, MINUTE_MS),
    day: windowStatus(plan.perDay, use.dayUsed, at, DAY_MS),
    bannedUntil: at < use.bannedUntil ? use.bannedUntil : undefined,
  };
}

/** Returns the quota status of an address, which only has a minute window. */
export function addressStatus(perMinute: number, used: number, at: number): QuotaStatus {
  const minute = windowStatus(perMinute, used, at, MINUTE_MS);
  return { at, minute, day: undefined, bannedUntil: undefined };
}

function windowStatus(limit: number, used: number, at: number, length: number): WindowStatus {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetsAt: windowStart(at, length) + length,
  };
}
