import {
  type ApiKey,
  type KeySettings,
  type KeyStorage,
  type NewApiKey,
  SCOPES,
  type Scope,
} from '../../domain/api-key.ts';
import { changedFields } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import {
  earlierAdminEnd,
  endOfRotated,
  lastAdmin,
  requireActive,
  requireProgram,
  successorOf,
} from '../../domain/key-lifecycle.ts';
import type { PlanName } from '../../domain/plan.ts';
import { HASH_PREFIX_LENGTH } from '../../domain/secrets.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import {
  assignments,
  fieldsOf,
  number,
  numberOrNull,
  parameters,
  plain,
  valuesOf,
} from '../fields.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  givenLocked,
  greatest,
  methodsOf,
  onPostgres,
  sql,
  type Transactions,
  type Work,
  writeInSlices,
} from '../statements.ts';
import { noteAudit } from './notes.ts';

/** The family of a row: a key without a predecessor is the first of its own. */
const FAMILY = 'coalesce(family_id, id)';

/** A key in its row. */
export const KEY = fieldsOf(
  {
    id: plain<bigint>(),
    name: plain<string>(),
    plan: plain<PlanName>(),
    perMinute: numberOrNull,
    perDay: numberOrNull,
    scopes: scopesIn,
    createdAt: number,
    expiresAt: numberOrNull,
    lifetimeMs: numberOrNull,
    lastUsedAt: numberOrNull,
    revokedAt: numberOrNull,
    unbannedAt: numberOrNull,
    predecessorId: plain<bigint | null>(),
    familyId: plain<bigint>(),
  },
  {
    lifetimeMs: 'lifetime',
    familyId: FAMILY,
    plan: "CASE kind WHEN 'person' THEN 'staff' ELSE plan END",
  },
);

export function scopesIn(cell: string): Scope[] {
  const held = cell.split(',');
  return SCOPES.filter((scope) => held.includes(scope));
}

const NEW_COLUMNS =
  'hash, name, kind, plan, per_minute, per_day, scopes, created_at, expires_at, lifetime, unbanned_at, predecessor_id, family_id';
const SETTINGS_COLUMNS =
  'name, plan, per_minute, per_day, scopes, expires_at, lifetime, revoked_at';

const HASH_PREFIXES =
  sql`SELECT substr(hash, 1, ${HASH_PREFIX_LENGTH}) AS prefix FROM api_keys`.value<string>();
const BY_HASH = sql`SELECT ${KEY.columns} FROM api_keys WHERE hash = $1`.as(KEY);
export const KEY_BY_ID = sql`SELECT ${KEY.columns} FROM api_keys WHERE id = $1`.as(KEY);
const LOCKED = sql`SELECT ${KEY.columns} FROM api_keys WHERE id = $1 ${forUpdate}`.as(KEY);
const LIST = sql`SELECT ${KEY.columns} FROM api_keys
  WHERE kind = 'program' ORDER BY id`.as(KEY);
const IS_PROGRAM = sql`kind = 'program'`;
const EVERY = sql`SELECT ${KEY.columns} FROM api_keys`.as(KEY);
const INSERT = sql`INSERT INTO api_keys (${NEW_COLUMNS}) VALUES (${parameters(NEW_COLUMNS)})
    RETURNING ${KEY.columns}`.as(KEY);
const END = sql`UPDATE api_keys SET expires_at = $1 WHERE id = $2`;
/** The condition for keys that may manage keys at the time `$2`. People must be able to sign in. */
const IS_ADMIN = `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
  AND ',' || scopes || ',' LIKE '%,admin,%' AND (kind = 'program'
    OR EXISTS (SELECT 1 FROM people WHERE key_id = api_keys.id AND password_hash IS NOT NULL))`;
/**
 * Locks a key, and those that may manage keys, in a fixed order: of two that end each other at once, the
 * second waits, and then no longer finds the first.
 */
export const LOCK_WITH_ADMINS = onPostgres(
  `SELECT id FROM api_keys WHERE id = $1 OR (${IS_ADMIN}) ORDER BY id FOR UPDATE`,
);
const OTHER_ADMIN =
  sql`SELECT id FROM api_keys WHERE id <> $1 AND ${IS_ADMIN} LIMIT 1`.value<bigint>();
const SAVE = sql`UPDATE api_keys SET ${assignments(SETTINGS_COLUMNS, 2)} WHERE id = $1
    RETURNING ${KEY.columns}`.as(KEY);
const REVOKE = sql`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`;
const UNBAN = sql`UPDATE api_keys
  SET unbanned_at = ${greatest}(coalesce(unbanned_at + 1, 0), $1)
  WHERE ${FAMILY} = (SELECT ${FAMILY} FROM api_keys WHERE id = $2)`;
/**
 * Keys that ended at or before `$1`. The first of a family stays while another of it has not: allowance,
 * results and webhooks of the family are under its id. With a key goes all that refers to it.
 */
const REMOVE_ENDED = sql`DELETE FROM api_keys WHERE id ${isChosen(sql`
    SELECT id FROM api_keys WHERE ${hadEnded('api_keys')} AND NOT EXISTS (
      SELECT 1 FROM api_keys AS member WHERE member.family_id = api_keys.id AND NOT ${hadEnded('member')}
    ) ORDER BY id LIMIT $2 ${skipLocked}`)}`;

function hadEnded(key: string): string {
  return `(coalesce(${key}.revoked_at <= $1, FALSE) OR coalesce(${key}.expires_at <= $1, FALSE))`;
}

/**
 * Instances whose clocks differ must not put a use back. A use further ahead was noted while a clock
 * was wrong.
 */
const AHEAD_MS = 60_000;
const latestUse = (at: string) =>
  `CASE WHEN last_used_at BETWEEN ${at} AND ${at} + ${AHEAD_MS} THEN last_used_at ELSE ${at} END`;

const USE = sql`UPDATE api_keys SET last_used_at = ${latestUse('given.at')}
  FROM ${givenLocked('id bigint, at bigint', 'api_keys')} WHERE api_keys.id = given.id`;

/** Adds a key. That of a person is stored with the plan that has the same limits. */
export function createKey(key: NewApiKey, predecessor?: ApiKey): Work<ApiKey> {
  const { createdAt, expiresAt } = key;
  const isPerson = key.plan === 'staff';
  const values = valuesOf(NEW_COLUMNS, {
    ...key,
    kind: isPerson ? 'person' : 'program',
    plan: isPerson ? 'business' : key.plan,
    scopes: key.scopes.join(','),
    lifetime: expiresAt === null ? null : expiresAt - createdAt,
    // The family shares its bans, so what lifted the last one counts for the successor too.
    unbannedAt: predecessor?.unbannedAt ?? null,
    predecessorId: predecessor?.id ?? null,
    familyId: predecessor?.familyId ?? null,
  });
  return INSERT.only(...values);
}

/** Throws `conflict` if nobody could manage keys any more. The key is locked with those who may. */
function* requireAdminAfter(current: ApiKey, next: KeySettings, at: number): Work<void> {
  const { id } = current;
  const end = earlierAdminEnd(current, next, at);
  if (end !== undefined && (yield* OTHER_ADMIN.one(id, end)) === undefined) throw lastAdmin(id);
}

/** What the audit shows of a key: never its hash. */
function shownFields({ name, plan, perMinute, perDay, scopes, expiresAt, revokedAt }: ApiKey) {
  const text = (at: number | null) => at && new Date(at).toISOString();
  const times = { expiresAt: text(expiresAt), revokedAt: text(revokedAt) };
  return { name, plan, perMinute, perDay, scopes, ...times };
}

/** Notes how a key differs from what it was. */
function* noteKey(before: ApiKey | undefined, after: ApiKey, stamp: ChangeStamp): Work<void> {
  const changed = changedFields(before && shownFields(before), shownFields(after));
  if (Object.keys(changed).length === 0) return;
  const verb = before === undefined ? 'created' : changed['revokedAt'] ? 'revoked' : 'updated';
  yield* noteAudit(`key.${verb}`, { id: after.id }, changed, stamp);
}

/** API keys. */
export function createKeyStorage(transactions: Transactions): KeyStorage {
  const { reads, writes } = methodsOf<KeyStorage>(transactions);
  return {
    ...reads({
      hashPrefixes: () => HASH_PREFIXES.all(),
      findByHash: (hash) => BY_HASH.one(hash),
      find: (id) => KEY_BY_ID.one(id),
      list: () => LIST.all(),
      page: (request) => listed(EVERY, request, [IS_PROGRAM]),
    }),
    ...writes({
      *create(key, by = null) {
        const created = yield* createKey(key);
        yield* noteKey(undefined, created, { at: key.createdAt, keyId: by });
        return created;
      },
      *rotate(id, rotation, by = null) {
        const old = yield* LOCKED.one(id);
        if (old === undefined) return undefined;
        requireProgram(old);
        requireActive(old, rotation.at);
        const oldEndsAt = endOfRotated(old, rotation);
        yield* END.run(oldEndsAt, id);
        const successor = yield* createKey(successorOf(old, rotation), old);
        const changed = { successor: [null, successor.id] } as const;
        yield* noteAudit('key.rotated', { id }, changed, { at: rotation.at, keyId: by });
        return { successor, oldEndsAt };
      },
      *update(id, at, change, by = null) {
        yield* LOCK_WITH_ADMINS.run(id, at);
        const before = yield* KEY_BY_ID.one(id);
        if (before === undefined) return undefined;
        requireProgram(before);
        const next = change(before);
        yield* requireAdminAfter(before, next, at);
        const { scopes, lifetimeMs: lifetime } = next;
        const values = valuesOf(SETTINGS_COLUMNS, { ...next, scopes: scopes.join(','), lifetime });
        const updated = yield* SAVE.one(id, ...values);
        if (updated !== undefined) yield* noteKey(before, updated, { at, keyId: by });
        return updated;
      },
      *revoke(id, at, by = null) {
        const before = yield* LOCKED.one(id);
        yield* REVOKE.run(at, id);
        const after = yield* KEY_BY_ID.one(id);
        if (after !== undefined) yield* noteKey(before, after, { at, keyId: by });
      },
      *unban(id, at, by = null) {
        yield* UNBAN.run(at, id);
        yield* noteAudit('key.unbanned', { id }, {}, { at, keyId: by });
      },
      removeEnded: (time, most) => REMOVE_ENDED.changes(time, most),
    }),
    recordUse: (lastUsedAt) =>
      writeInSlices(transactions, [...lastUsedAt], (slice) =>
        USE.forRows(slice.map(([id, at]) => ({ id, at }))),
      ),
  };
}
