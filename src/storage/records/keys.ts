import {
  type ApiKey,
  type KeySettings,
  type KeyStorage,
  type NewApiKey,
  type Rotated,
  type Rotation,
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
import { fieldsOf, number, numberOrNull, plain, valuesOf } from '../fields.ts';
import {
  all,
  assignments,
  changes,
  forUpdate,
  given,
  greatest,
  one,
  only,
  onPostgres,
  page,
  parameters,
  query,
  run,
  runForRows,
  type Sql,
  sql,
  type Transactions,
  type Work,
  writeInSlices,
} from '../statements.ts';
import type { NoteAudit } from './change.ts';

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

const keys = (text: Sql) => query<object, ApiKey>(KEY.of, text);

const NEW_COLUMNS =
  'hash, name, kind, plan, per_minute, per_day, scopes, created_at, expires_at, lifetime, unbanned_at, predecessor_id, family_id';
const SETTINGS_COLUMNS =
  'name, plan, per_minute, per_day, scopes, expires_at, lifetime, revoked_at';

const HASH_PREFIXES = query(
  ({ prefix }: { prefix: string }) => prefix,
  sql`SELECT substr(hash, 1, ${HASH_PREFIX_LENGTH}) AS prefix FROM api_keys`,
);
const BY_HASH = keys(sql`SELECT ${KEY.columns} FROM api_keys WHERE hash = $1`);
export const KEY_BY_ID = keys(sql`SELECT ${KEY.columns} FROM api_keys WHERE id = $1`);
const LOCKED = keys(sql`SELECT ${KEY.columns} FROM api_keys WHERE id = $1 ${forUpdate}`);
const LIST = keys(sql`SELECT ${KEY.columns} FROM api_keys
  WHERE kind = 'program' ORDER BY id`);
const PAGE = keys(sql`SELECT ${KEY.columns} FROM api_keys
  WHERE kind = 'program' AND id > $1 ORDER BY id LIMIT $2`);
const INSERT = keys(sql`INSERT INTO api_keys (${NEW_COLUMNS}) VALUES (${parameters(NEW_COLUMNS)})
    RETURNING ${KEY.columns}`);
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
const OTHER_ADMIN = query(
  ({ id }: { id: bigint }) => id,
  sql`SELECT id FROM api_keys WHERE id <> $1 AND ${IS_ADMIN} LIMIT 1`,
);
const SAVE = keys(sql`UPDATE api_keys SET ${assignments(SETTINGS_COLUMNS, 2)} WHERE id = $1
    RETURNING ${KEY.columns}`);
const REVOKE = sql`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`;
const UNBAN = sql`UPDATE api_keys
  SET unbanned_at = ${greatest}(coalesce(unbanned_at + 1, 0), $1)
  WHERE ${FAMILY} = (SELECT ${FAMILY} FROM api_keys WHERE id = $2)`;
/**
 * Keys that ended at or before `$1`. The first of a family stays while another of it has not: allowance,
 * results and webhooks of the family are under its id. With a key goes all that refers to it.
 */
const REMOVE_ENDED = sql`DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE ${hadEnded('api_keys')} AND NOT EXISTS (
      SELECT 1 FROM api_keys AS member WHERE member.family_id = api_keys.id AND NOT ${hadEnded('member')}
    ) ORDER BY id LIMIT $2 ${onPostgres('FOR UPDATE SKIP LOCKED')}
  )`;

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

const USE: Sql = {
  sqlite: `UPDATE api_keys SET last_used_at = ${latestUse('$at')} WHERE id = $id`,
  // Locked in a fixed order, so that instances that write at once cannot deadlock.
  postgres: `WITH used AS (
      SELECT api_keys.id, given.at
      FROM ${given('id bigint, at bigint').postgres} JOIN api_keys ON api_keys.id = given.id
      ORDER BY api_keys.id FOR UPDATE OF api_keys
    )
    UPDATE api_keys SET last_used_at = ${latestUse('used.at')}
    FROM used WHERE api_keys.id = used.id`,
};

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
  return only(INSERT, ...values);
}

function* rotate(id: bigint, rotation: Rotation): Work<Rotated | undefined> {
  const old = yield* one(LOCKED, id);
  if (old === undefined) return undefined;
  requireProgram(old);
  requireActive(old, rotation.at);
  const oldEndsAt = endOfRotated(old, rotation);
  yield* run(END, oldEndsAt, id);
  return { successor: yield* createKey(successorOf(old, rotation), old), oldEndsAt };
}

/** Throws `conflict` if nobody could manage keys any more. The key is locked with those who may. */
function* requireAdminAfter(current: ApiKey, next: KeySettings, at: number): Work<void> {
  const { id } = current;
  const end = earlierAdminEnd(current, next, at);
  if (end !== undefined && (yield* one(OTHER_ADMIN, id, end)) === undefined) throw lastAdmin(id);
}

function* update(
  id: bigint,
  at: number,
  change: (current: ApiKey) => KeySettings,
): Work<ApiKey | undefined> {
  yield* run(LOCK_WITH_ADMINS, id, at);
  const current = yield* one(KEY_BY_ID, id);
  if (current === undefined) return undefined;
  requireProgram(current);
  const next = change(current);
  yield* requireAdminAfter(current, next, at);
  const { scopes, lifetimeMs: lifetime } = next;
  const values = valuesOf(SETTINGS_COLUMNS, { ...next, scopes: scopes.join(','), lifetime });
  return yield* one(SAVE, id, ...values);
}

/** What the audit shows of a key: never its hash. */
function shownFields({ name, plan, perMinute, perDay, scopes, expiresAt, revokedAt }: ApiKey) {
  const text = (at: number | null) => at && new Date(at).toISOString();
  const times = { expiresAt: text(expiresAt), revokedAt: text(revokedAt) };
  return { name, plan, perMinute, perDay, scopes, ...times };
}

/** API keys. */
export function createKeyStorage(transactions: Transactions, noteAudit: NoteAudit): KeyStorage {
  const { read, write } = transactions;

  /** Notes how a key differs from what it was. */
  function* noted(before: ApiKey | undefined, after: ApiKey, stamp: ChangeStamp): Work<void> {
    const changed = changedFields(before && shownFields(before), shownFields(after));
    if (Object.keys(changed).length === 0) return;
    const verb = before === undefined ? 'created' : changed['revokedAt'] ? 'revoked' : 'updated';
    yield* noteAudit(`key.${verb}`, { id: after.id }, changed, stamp);
  }

  function* revoke(id: bigint, at: number, keyId: bigint | null): Work<void> {
    const before = yield* one(LOCKED, id);
    yield* run(REVOKE, at, id);
    const after = yield* one(KEY_BY_ID, id);
    if (after !== undefined) yield* noted(before, after, { at, keyId });
  }

  return {
    hashPrefixes: () => read(() => all(HASH_PREFIXES)),
    findByHash: (hash) => read(() => one(BY_HASH, hash)),
    find: (id) => read(() => one(KEY_BY_ID, id)),
    list: () => read(() => all(LIST)),
    page: (request) => read(() => page(PAGE, request)),
    create: (key, by = null) =>
      write(function* () {
        const created = yield* createKey(key);
        yield* noted(undefined, created, { at: key.createdAt, keyId: by });
        return created;
      }),
    rotate: (id, rotation, by = null) =>
      write(function* () {
        const rotated = yield* rotate(id, rotation);
        if (rotated === undefined) return undefined;
        const changed = { successor: [null, rotated.successor.id] } as const;
        yield* noteAudit('key.rotated', { id }, changed, { at: rotation.at, keyId: by });
        return rotated;
      }),
    update: (id, at, change, by = null) =>
      write(function* () {
        let before: ApiKey | undefined;
        const updated = yield* update(id, at, (current) => {
          before = current;
          return change(current);
        });
        if (updated !== undefined) yield* noted(before, updated, { at, keyId: by });
        return updated;
      }),
    revoke: (id, at, by = null) => write(() => revoke(id, at, by)),
    unban: (id, at, by = null) =>
      write(function* () {
        yield* run(UNBAN, at, id);
        yield* noteAudit('key.unbanned', { id }, {}, { at, keyId: by });
      }),
    removeEnded: (time, most) => write(() => changes(REMOVE_ENDED, time, most)),
    recordUse: (lastUsedAt) =>
      writeInSlices(transactions, [...lastUsedAt], (slice) =>
        runForRows(
          USE,
          slice.map(([id, at]) => ({ id, at })),
        ),
      ),
  };
}
