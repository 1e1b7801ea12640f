import { type ApiKey, generateKey, type KeyStorage, type NewApiKey } from './api-key.ts';
import type { Environment } from './deployment.ts';
import { hashKey } from './key-hash.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { thenDo } from './maybe-promise.ts';
import { numbersOnKey, type Plan } from './plan.ts';
import { secureRandomBytes } from './random-text.ts';

/** Who issues keys, for which deployment, at what time (milliseconds since the Unix epoch). */
export interface KeyIssuer {
  readonly keys: KeyStorage;
  readonly environment: Environment;
  readonly now: number;
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
export function issueKey(
  { keys, environment, now }: KeyIssuer,
  { name, scopes, plan, lifetimeMs }: KeyRequest,
): MaybePromise<IssuedKey> {
  const text = generateKey(environment, secureRandomBytes);
  const created = keys.create({
    hash: hashKey(text),
    name,
    plan: plan.name,
    ...numbersOnKey(plan),
    scopes,
    createdAt: now,
    expiresAt: lifetimeMs === undefined ? null : now + lifetimeMs,
  });
  return thenDo(created, (key) => ({ text, key }));
}

/**
 * Replaces a key with a successor that has the same rights and lifetime. The old key ends after
 * `overlapMs`, or sooner if it was going to expire sooner. Returns undefined if the key
 * does not exist. Throws `conflict` if the key is revoked or expired.
 */
export function rotateKey(
  { keys, environment, now }: KeyIssuer,
  id: bigint,
  overlapMs: number,
): MaybePromise<IssuedKey | undefined> {
  const text = generateKey(environment, secureRandomBytes);
  return thenDo(keys.rotate(id, { hash: hashKey(text), at: now, overlapMs }), (rotated) => {
    if (rotated === undefined) return undefined;
    const { successor, oldEndsAt } = rotated;
    return { text, key: successor, replaces: { id, until: oldEndsAt } };
  });
}
