import {
  type ApiKey,
  type Caller,
  callerOf,
  generateKey,
  type KeySettings,
  type KeyStorage,
  mayUse,
  type NewApiKey,
  type Rotation,
  type Scope,
} from './api-key.ts';
import { DAY_MS } from './clock.ts';
import type { Environment } from './deployment.ts';
import { Failure } from './failure.ts';
import { numbersOnKey, type Plan } from './plan.ts';
import { hashKey, secureRandomBytes } from './secrets.ts';
import { isLive, type SessionStorage } from './session.ts';

/** How long a rotated key keeps working, unless the rotation says otherwise. */
export const OVERLAP_DEFAULT_MS = DAY_MS;

/** What decides whether a caller may still write. */
type RightRecords = {
  readonly keys: Pick<KeyStorage, 'find'>;
  readonly sessions: Pick<SessionStorage, 'find'>;
};

/**
 * Looks up again what a caller may do, in the transaction of its write: the request may have waited longer than a
 * revocation is allowed to take. Returns the caller as it is now. Throws `invalid_api_key` or
 * `insufficient_scope`.
 */
export async function requireRight(
  { keyId, sessionHash }: Pick<Caller, 'keyId' | 'sessionHash'>,
  access: Scope,
  { keys, sessions }: RightRecords,
  now: number,
): Promise<Caller> {
  const found = sessionHash === undefined ? undefined : await sessions.find(sessionHash);
  if (sessionHash !== undefined && (found === undefined || !isLive(found.session, now))) {
    throw endedSession();
  }
  const caller = requireKeyRight(found?.key ?? (await keys.find(keyId)), access, now);
  return sessionHash === undefined ? caller : { ...caller, sessionHash };
}

/** Returns the holder of a key that may do this at `now`. Throws as `requireRight`. */
export function requireKeyRight(key: ApiKey | undefined, access: Scope, now: number): Caller {
  if (key === undefined || keyStatus(key, now) !== 'active') throw endedKey();
  const caller = callerOf(key);
  if (!mayUse(caller, access)) throw insufficientScope(access);
  return caller;
}

/** The failure of a key that does not exist, or has ended. */
export function endedKey(): Failure {
  return new Failure(
    'invalid_api_key',
    'The API key is not valid: use a different one, or ask for a new one.',
  );
}

/** The failure of a session that does not exist, or has ended. */
export function endedSession(): Failure {
  return new Failure('invalid_api_key', 'You are not signed in any more: sign in again.');
}

/** The failure of a valid key that lacks the scope. */
export function insufficientScope(access: Scope): Failure {
  return new Failure('insufficient_scope', `This requires an API key with the scope "${access}".`);
}

/** The statuses of a key. Limits and bans are separate from them: see allowance.ts. */
export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
type KeyStatus = (typeof KEY_STATUSES)[number];

/** Returns the status of a key at `now`, in milliseconds since the Unix epoch. */
export function keyStatus({ expiresAt, revokedAt }: ApiKey, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/**
 * Returns when a key can no longer manage keys because of a change that revokes it, removes its scope `admin` or makes
 * it expire sooner. Unless another key can manage keys then, nobody could over HTTP. Returns undefined for any other
 * change, and for a key that cannot manage keys.
 */
export function earlierAdminEnd(
  current: ApiKey,
  next: KeySettings,
  now: number,
): number | undefined {
  if (!isActiveAdmin(current, now)) return undefined;
  const end = isActiveAdmin({ ...current, ...next }, now) ? endOf(next) : now;
  return end < endOf(current) ? end : undefined;
}

function isActiveAdmin(key: ApiKey, now: number): boolean {
  return key.scopes.includes('admin') && keyStatus(key, now) === 'active';
}

/** The failure of a change that would leave no key with the scope `admin`. */
export function lastAdmin(id: bigint): Failure {
  return new Failure(
    'conflict',
    `Without key ${id}, no active key or person would have the scope admin: create another one first.`,
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

/** Throws `conflict` for the key of a person. */
export function requireProgram({ id, plan }: ApiKey): void {
  if (plan === 'staff') throw new Failure('conflict', `Key ${id} is a person: change that person.`);
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

/** Where keys are stored, for which deployment, and the time (milliseconds since the Unix epoch). */
interface KeyIssuer {
  readonly keys: KeyStorage;
  readonly environment: Environment;
  readonly now: number;
  /** The key that asks; null for a command. */
  readonly by?: bigint | null;
}

/** A key to issue. */
export interface KeyRequest extends Pick<NewApiKey, 'name' | 'scopes'> {
  readonly plan: Plan;
  /** Milliseconds; undefined for a key that never expires. */
  readonly lifetimeMs?: number | undefined;
}

/** A new key. This is the only time that its text is known: storage keeps a hash. */
export interface IssuedKey {
  readonly text: string;
  readonly key: ApiKey;
  /** For a successor: the key that it replaces, and when that one ends. */
  readonly replaces?: { readonly id: bigint; readonly until: number };
}

/** Issues a key. The name must have passed `keyNameProblem`. */
export async function issueKey(
  { keys, environment, now, by = null }: KeyIssuer,
  { name, scopes, plan, lifetimeMs }: KeyRequest,
): Promise<IssuedKey> {
  const text = generateKey(environment, secureRandomBytes);
  const added = {
    hash: hashKey(text),
    name,
    plan: plan.name,
    ...numbersOnKey(plan),
    scopes,
    createdAt: now,
    expiresAt: lifetimeMs === undefined ? null : now + lifetimeMs,
  };
  const key = await keys.create(added, by);
  return { text, key };
}

/**
 * Replaces a key with a successor that has the same rights and lifetime. The old key ends after
 * `overlapMs`, or sooner if it was going to expire sooner. Returns undefined if the key
 * does not exist. Throws `conflict` if the key is revoked or expired.
 */
export async function rotateKey(
  { keys, environment, now, by = null }: KeyIssuer,
  id: bigint,
  overlapMs: number,
): Promise<IssuedKey | undefined> {
  const text = generateKey(environment, secureRandomBytes);
  const rotation = { hash: hashKey(text), at: now, overlapMs };
  const rotated = await keys.rotate(id, rotation, by);

  if (rotated === undefined) return undefined;
  const { successor, oldEndsAt } = rotated;
  return { text, key: successor, replaces: { id, until: oldEndsAt } };
}
