import { type ApiKey, SCOPES } from '../domain/api-key.ts';
import type { PlanName } from '../domain/plan.ts';

/** A key as a database gives it. */
export interface KeyRow {
  readonly id: bigint;
  readonly name: string;
  readonly plan: PlanName;
  readonly per_minute: bigint | null;
  readonly per_day: bigint | null;
  readonly scopes: string;
  readonly created_at: bigint;
  readonly expires_at: bigint | null;
  readonly last_used_at: bigint | null;
  readonly revoked_at: bigint | null;
  readonly unbanned_at: bigint | null;
}

/** The columns of a `KeyRow`. */
export const KEY_COLUMNS = `id, name, plan, per_minute, per_day, scopes, created_at, expires_at, last_used_at,
  revoked_at, unbanned_at`;

function numberOrNull(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

/** The key in a row. */
export function keyOf(row: KeyRow): ApiKey {
  const held = row.scopes.split(',');
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    perMinute: numberOrNull(row.per_minute),
    perDay: numberOrNull(row.per_day),
    scopes: SCOPES.filter((scope) => held.includes(scope)),
    createdAt: Number(row.created_at),
    expiresAt: numberOrNull(row.expires_at),
    lastUsedAt: numberOrNull(row.last_used_at),
    revokedAt: numberOrNull(row.revoked_at),
    unbannedAt: numberOrNull(row.unbanned_at),
  };
}
