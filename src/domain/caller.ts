import { type ApiKey, SCOPES, type Scope } from './api-key.ts';
import { type Plan, planOf } from './plan.ts';

/** The sender of a request: the holder of a valid API key. */
export interface Caller {
  readonly keyId: bigint;
  readonly name: string;
  /** The family whose allowance and idempotency results are used: see `ApiKey`. */
  readonly familyId: bigint;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** When a ban of the key was last lifted, in milliseconds since the Unix epoch. */
  readonly unbannedAt: number | null;
  /** When the key ends, likewise; null for never. */
  readonly expiresAt: number | null;
}

/** Returns the caller that a key stands for. */
export function callerOf(key: ApiKey): Caller {
  const { id: keyId, name, familyId, scopes, unbannedAt, expiresAt } = key;
  const plan = planOf(key.plan, key.perMinute, key.perDay);
  return { keyId, name, familyId, scopes, plan, unbannedAt, expiresAt };
}

/** Returns whether the caller has this scope, or one that includes it. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  const required = SCOPES.indexOf(scope);
  for (const granted of caller.scopes) if (SCOPES.indexOf(granted) >= required) return true;
  return false;
}
