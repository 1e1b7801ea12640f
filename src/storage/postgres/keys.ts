import type {
  ApiKey,
  KeySettings,
  KeyStorage,
  NewApiKey,
  Rotated,
  Rotation,
} from '../../domain/api-key.ts';
import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import {
  endOfRotated,
  isActiveAdmin,
  requireActive,
  requireOtherAdmin,
  successorOf,
} from '../../domain/key-lifecycle.ts';
import { pageOf } from '../../domain/page.ts';
import {
  activeAdmin,
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  NEW_KEY_COLUMNS,
  newKeyValues,
  SETTINGS_COLUMNS,
  sameFamily,
  settingsValues,
} from '../rows/key.ts';
import type { Session, Value } from './connection.ts';
import { records } from './json.ts';
import type { Access } from './writer.ts';

/** API keys in PostgreSQL. */
export function createKeyStorage({ read, write }: Access): KeyStorage {
  const change = (text: string, ...values: Value[]) =>
    write(async (session) => void (await session.run(text, ...values)));

  return {
    hashBeginnings: () =>
      read(async (session) => {
        const text = 'SELECT left(hash, $1) AS beginning FROM api_keys';
        const rows = await session.query<{ beginning: string }>(text, HASH_BEGINNING);
        return rows.map(({ beginning }) => beginning);
      }),
    findByHash: (hash) => read((session) => find(session, 'hash', hash)),
    find: (id) => read((session) => find(session, 'id', id)),
    list: () =>
      read(async (session) => {
        const text = `SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY id`;
        return (await session.query<KeyRow>(text)).map(keyOf);
      }),
    page: ({ afterId, limit }) =>
      read(async (session) => {
        const text = `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id > $1 ORDER BY id LIMIT $2`;
        const rows = await session.query<KeyRow>(text, afterId ?? 0n, limit + 1);
        return pageOf(rows.map(keyOf), limit);
      }),
    create: (key) => write((session) => create(session, key)),
    rotate: (id, rotation) => write((session) => rotate(session, id, rotation)),
    update: (id, at, change) => write((session) => update(session, id, at, change)),
    revoke: (id, at) =>
      change(
        'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2',
        BigInt(at),
        id,
      ),
    unban: (id, at) =>
      change(
        // GREATEST ignores NULL.
        `UPDATE api_keys SET unbanned_at = greatest(unbanned_at + 1, $1) WHERE ${sameFamily('$2')}`,
        BigInt(at),
        id,
      ),
    recordUse: (lastUsedAt) => write((session) => recordUse(session, lastUsedAt)),
  };
}

async function find(
  session: Session,
  column: 'hash' | 'id',
  value: Value,
  lock = '',
): Promise<ApiKey | undefined> {
  const text = `SELECT ${KEY_COLUMNS} FROM api_keys WHERE ${column} = $1 ${lock}`;
  const [row] = await session.query<KeyRow>(text, value);
  return row === undefined ? undefined : keyOf(row);
}

async function create(session: Session, key: NewApiKey, predecessor?: ApiKey): Promise<ApiKey> {
  const [row] = await session.query<KeyRow>(
    `INSERT INTO api_keys (${NEW_KEY_COLUMNS.join(', ')})
     VALUES (${NEW_KEY_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}) RETURNING ${KEY_COLUMNS}`,
    ...newKeyValues(key, predecessor),
  );
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  return keyOf(row);
}

async function rotate(
  session: Session,
  id: bigint,
  rotation: Rotation,
): Promise<Rotated | undefined> {
  const old = await find(session, 'id', id, 'FOR UPDATE');
  if (old === undefined) return undefined;
  requireActive(old, rotation.at);
  const oldEndsAt = endOfRotated(old, rotation);
  await session.run('UPDATE api_keys SET expires_at = $1 WHERE id = $2', BigInt(oldEndsAt), id);
  return { successor: await create(session, successorOf(old, rotation), old), oldEndsAt };
}

async function update(
  session: Session,
  id: bigint,
  at: number,
  change: (current: ApiKey) => KeySettings,
): Promise<ApiKey | undefined> {
  // Locks the keys that may manage keys too, in a fixed order: of two that end each other at once,
  // the second waits, and then no longer finds the first.
  const rows = await session.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = $1 OR ${activeAdmin('$2')}
     ORDER BY id FOR UPDATE`,
    id,
    BigInt(at),
  );
  const keys = rows.map(keyOf);
  const current = keys.find((key) => key.id === id);
  if (current === undefined) return undefined;
  const next = change(current);
  const hasOther = (time: number) =>
    keys.some((key) => key !== current && isActiveAdmin(key, time));
  requireOtherAdmin(current, next, at, hasOther);
  const [row] = await session.query<KeyRow>(
    `UPDATE api_keys SET ${SETTINGS_COLUMNS.map((column, i) => `${column} = $${i + 1}`).join(', ')}
     WHERE id = $${SETTINGS_COLUMNS.length + 1} RETURNING ${KEY_COLUMNS}`,
    ...settingsValues(next),
    id,
  );
  return row === undefined ? undefined : keyOf(row);
}

async function recordUse(session: Session, lastUsedAt: ReadonlyMap<bigint, number>): Promise<void> {
  const rows = [...lastUsedAt].map(([id, at]) => ({ id: String(id), at }));
  // Locked in a fixed order, so that instances that write at once cannot deadlock.
  await session.run(
    `WITH used AS (
       SELECT api_keys.id, given.at
       FROM ${records('$1', 'id bigint, at bigint')} JOIN api_keys ON api_keys.id = given.id
       ORDER BY api_keys.id FOR UPDATE OF api_keys
     )
     UPDATE api_keys SET last_used_at = greatest(last_used_at, used.at)
     FROM used WHERE api_keys.id = used.id`,
    JSON.stringify(rows),
  );
}
