import { SCOPES, type Scope } from './api-key.ts';
import type { Plan } from './plan.ts';

/** The sender of a request: the holder of a valid API key. */
export interface Caller {
  readonly keyId: bigint;
  /** The family whose allowance and idempotency results are used: see `ApiKey`. */
  readonly familyId: bigint;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** When a ban of the key was last lifted, in milliseconds since the Unix epoch. */
  readonly unbannedAt: number | null;
}

/** Returns whether the caller has this scope, or one that includes it. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  const required = SCOPES.indexOf(scope);
  for (const granted of caller.scopes) if (SCOPES.indexOf(granted) >= required) return true;
  return false;
}
