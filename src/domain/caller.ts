import { SCOPES, type Scope } from './api-key.ts';
import type { Plan } from './plan.ts';

/** Who sends a request: the holder of a valid API key. */
export interface Caller {
  readonly keyId: bigint;
  /** Whose allowance and idempotency results are used: see `ApiKey`. */
  readonly familyId: bigint;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
  /** When a ban of the key was lifted last, in milliseconds since the Unix epoch. */
  readonly unbannedAt: number | null;
}

/** Whether the caller may do what needs `scope`. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  const needed = SCOPES.indexOf(scope);
  for (const held of caller.scopes) if (SCOPES.indexOf(held) >= needed) return true;
  return false;
}
