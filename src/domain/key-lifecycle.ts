import type { ApiKey, NewApiKey, Rotation } from './api-key.ts';
import { Failure } from './failure.ts';

/** Where a key is in its life. Limits and bans are told apart from it: see allowance.ts. */
export type KeyStatus = 'active' | 'expired' | 'revoked';

/** The status of a key at a time, in milliseconds since the Unix epoch. */
export function keyStatus({ expiresAt, revokedAt }: ApiKey, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** Throws `conflict` for a key that has ended: it can be neither rotated nor changed. */
export function requireActive(key: ApiKey, now: number): void {
  const status = keyStatus(key, now);
  if (status === 'active') return;
  const end = `Key ${key.id} ${status === 'revoked' ? 'is revoked' : 'has expired'}`;
  throw new Failure('conflict', `${end}, so it cannot be rotated or changed: make a new key.`);
}

/** When a key ends that is rotated: after the overlap, or sooner where it ends sooner anyway. */
export function endOfRotated({ expiresAt }: ApiKey, { at, overlapMs }: Rotation): number {
  return Math.min(at + overlapMs, expiresAt ?? Number.POSITIVE_INFINITY);
}

/**
 * The key that takes the place of `old`, with the same rights. It lives as long as `old` was meant
 * to live, which an earlier rotation of `old` may have cut short.
 */
export function successorOf(old: ApiKey, { hash, at }: Rotation): NewApiKey {
  const { name, plan, perMinute, perDay, scopes, lifetimeMs } = old;
  const expiresAt = lifetimeMs === null ? null : at + lifetimeMs;
  return { hash, name, plan, perMinute, perDay, scopes, createdAt: at, expiresAt };
}
