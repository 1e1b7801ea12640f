import type { ApiKey, KeySettings, NewApiKey, Rotation } from './api-key.ts';
import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import { numbersOnKey, type Plan } from './plan.ts';

/** How long a rotated key keeps working, unless the rotation says otherwise. */
export const OVERLAP_DEFAULT_MS = DAY_MS;

/** The statuses of a key. Limits and bans are separate from them: see allowance.ts. */
export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** Returns the status of a key at `now`, in milliseconds since the Unix epoch. */
export function keyStatus({ expiresAt, revokedAt }: ApiKey, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** Returns whether a key may manage keys at `time`. */
export function isActiveAdmin(key: ApiKey, time: number): boolean {
  return key.scopes.includes('admin') && keyStatus(key, time) === 'active';
}

/**
 * Throws `conflict` if a change revokes a key with the scope `admin`, takes that scope from it or
 * moves its end forward, and no other key may manage keys at the time when this one no longer can:
 * nobody could do it over HTTP any more. `hasOther` returns whether another may at a time. A key that
 * reaches the end it always had is not held back.
 */
export function requireOtherAdmin(
  current: ApiKey,
  next: KeySettings,
  now: number,
  hasOther: (time: number) => boolean,
): void {
  if (!isActiveAdmin(current, now)) return;
  const end = isActiveAdmin({ ...current, ...next }, now) ? endOf(next) : now;
  if (end < endOf(current) && !hasOther(end)) throw lastAdmin(current.id);
}

/** The failure of a change that would leave no key with the scope `admin`. */
export function lastAdmin(id: bigint): Failure {
  return new Failure(
    'conflict',
    `Without key ${id}, no active key would have the scope admin: create another one first.`,
  );
}

function endOf({ expiresAt }: Pick<ApiKey, 'expiresAt'>): number {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

/** Returns the change that gives a key another plan. It throws `conflict` for a key that has ended. */
export function withPlan(plan: Plan, now: number): (key: ApiKey) => KeySettings {
  return (key) => {
    requireActive(key, now);
    return { ...key, plan: plan.name, ...numbersOnKey(plan) };
  };
}

/** Throws `conflict` for a revoked or expired key: it can be neither rotated nor changed. */
export function requireActive(key: ApiKey, now: number): void {
  const status = keyStatus(key, now);
  if (status === 'active') return;
  const problem = `Key ${key.id} ${status === 'revoked' ? 'is revoked' : 'has expired'}`;
  throw new Failure(
    'conflict',
    `${problem}, so it cannot be rotated or changed: create a new key.`,
  );
}

/** Returns when a rotated key ends: after the overlap, or when it expires if that is sooner. */
export function endOfRotated(key: ApiKey, { at, overlapMs }: Rotation): number {
  return Math.min(at + overlapMs, endOf(key));
}

/**
 * Returns the key that replaces `old`, with the same rights and the lifetime that `old` was created
 * with.
 */
export function successorOf(old: ApiKey, { hash, at }: Rotation): NewApiKey {
  const { name, plan, perMinute, perDay, scopes, lifetimeMs } = old;
  const expiresAt = lifetimeMs === null ? null : at + lifetimeMs;
  return { hash, name, plan, perMinute, perDay, scopes, createdAt: at, expiresAt };
}
