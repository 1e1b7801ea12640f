import type { ApiKey, NewApiKey, Rotation } from './api-key.ts';
import { Failure } from './failure.ts';

/** The status of a key. Limits and bans are separate from it: see allowance.ts. */
export type KeyStatus = 'active' | 'expired' | 'revoked';

/** Returns the status of a key at `now`, in milliseconds since the Unix epoch. */
export function keyStatus({ expiresAt, revokedAt }: ApiKey, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
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
export function endOfRotated({ expiresAt }: ApiKey, { at, overlapMs }: Rotation): number {
  return Math.min(at + overlapMs, expiresAt ?? Number.POSITIVE_INFINITY);
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
