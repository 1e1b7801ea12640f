import { type ApiKey, type KeySettings, type NewApiKey, SCOPES } from '../../domain/api-key.ts';
import type { PlanName } from '../../domain/plan.ts';
import { bigintOrNull, numberOrNull } from './nullable.ts';

/** A key as a row. */
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
  readonly lifetime: bigint | null;
  readonly predecessor_id: bigint | null;
  readonly family_id: bigint;
}

/** The family of a row in SQL: a key without a predecessor is the first of its own. */
const FAMILY = 'coalesce(family_id, id)';

/** The columns of a `KeyRow`. */
export const KEY_COLUMNS = `id, name, plan, per_minute, per_day, scopes, created_at, expires_at, last_used_at,
  revoked_at, unbanned_at, lifetime, predecessor_id, ${FAMILY} AS family_id`;

/** The condition for all keys of a family, one of which has the id that `parameter` stands for. */
export function sameFamily(parameter: string): string {
  return `${FAMILY} = (SELECT ${FAMILY} FROM api_keys WHERE id = ${parameter})`;
}

/** The condition for keys that may manage keys, at the time that `parameter` stands for. */
export function activeAdmin(parameter: string): string {
  return `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${parameter})
    AND ',' || scopes || ',' LIKE '%,admin,%'`;
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
    lifetimeMs: numberOrNull(row.lifetime),
    lastUsedAt: numberOrNull(row.last_used_at),
    revokedAt: numberOrNull(row.revoked_at),
    unbannedAt: numberOrNull(row.unbanned_at),
    predecessorId: row.predecessor_id,
    familyId: row.family_id,
  };
}

/** The columns that have a value when a key is stored. */
export const NEW_KEY_COLUMNS = [
  'hash',
  'name',
  'plan',
  'per_minute',
  'per_day',
  'scopes',
  'created_at',
  'expires_at',
  'lifetime',
  'unbanned_at',
  'predecessor_id',
  'family_id',
] as const;

/** The values of a new row in the order of `NEW_KEY_COLUMNS`. */
export function newKeyValues(key: NewApiKey, predecessor?: ApiKey): (string | bigint | null)[] {
  const { createdAt, expiresAt } = key;
  return [
    key.hash,
    key.name,
    key.plan,
    bigintOrNull(key.perMinute),
    bigintOrNull(key.perDay),
    key.scopes.join(','),
    BigInt(createdAt),
    bigintOrNull(expiresAt),
    bigintOrNull(expiresAt === null ? null : expiresAt - createdAt),
    // The family shares its bans, so what lifted the last one counts for the successor too.
    bigintOrNull(predecessor?.unbannedAt ?? null),
    predecessor?.id ?? null,
    predecessor?.familyId ?? null,
  ];
}

/** The columns that a change of a key may set. */
export const SETTINGS_COLUMNS = [
  'name',
  'plan',
  'per_minute',
  'per_day',
  'scopes',
  'expires_at',
  'lifetime',
  'revoked_at',
] as const;

/** The values of a changed row in the order of `SETTINGS_COLUMNS`. */
export function settingsValues(settings: KeySettings): (string | bigint | null)[] {
  return [
    settings.name,
    settings.plan,
    bigintOrNull(settings.perMinute),
    bigintOrNull(settings.perDay),
    settings.scopes.join(','),
    bigintOrNull(settings.expiresAt),
    bigintOrNull(settings.lifetimeMs),
    bigintOrNull(settings.revokedAt),
  ];
}
