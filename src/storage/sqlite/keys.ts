import type { Database } from 'bun:sqlite';
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
import type { Access } from './access.ts';
import { insertedRow } from './connection.ts';
import { writeInSlices } from './slices.ts';

/** The statements of `createKeyStorage`. */
function prepareStatements(database: Database) {
  return {
    byHash: database.query<KeyRow, [string]>(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE hash = ?`),
    beginnings: database.query<{ beginning: string }, []>(
      `SELECT substr(hash, 1, ${HASH_BEGINNING}) AS beginning FROM api_keys`,
    ),
    byId: database.query<KeyRow, [bigint]>(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = ?`),
    all: database.query<KeyRow, []>(`SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY id`),
    page: database.query<KeyRow, [bigint, number]>(
      `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id > ? ORDER BY id LIMIT ?`,
    ),
    otherAdmin: database.query<{ id: bigint }, [bigint, number]>(
      `SELECT id FROM api_keys WHERE id <> ? AND ${activeAdmin('?')} LIMIT 1`,
    ),
    insert: database.query<KeyRow, (string | bigint | null)[]>(
      `INSERT INTO api_keys (${NEW_KEY_COLUMNS.join(', ')})
       VALUES (${NEW_KEY_COLUMNS.map(() => '?').join(', ')}) RETURNING ${KEY_COLUMNS}`,
    ),
    end: database.query<null, [number, bigint]>('UPDATE api_keys SET expires_at = ? WHERE id = ?'),
    revoke: database.query<null, [number, bigint]>(
      'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?',
    ),
    save: database.query<KeyRow, (string | bigint | null)[]>(
      `UPDATE api_keys SET ${SETTINGS_COLUMNS.map((column) => `${column} = ?`).join(', ')}
       WHERE id = ? RETURNING ${KEY_COLUMNS}`,
    ),
    unban: database.query<null, [number, bigint]>(
      `UPDATE api_keys SET unbanned_at = max(coalesce(unbanned_at + 1, 0), ?) WHERE ${sameFamily('?')}`,
    ),
    use: database.query<null, [number, bigint]>(
      'UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
    ),
  };
}

/** API keys in SQLite. */
export function createKeyStorage(database: Database, { read, write }: Access): KeyStorage {
  const statements = prepareStatements(database);

  function create(key: NewApiKey, predecessor?: ApiKey): ApiKey {
    return keyOf(insertedRow(statements.insert, ...newKeyValues(key, predecessor)));
  }

  function rotate(id: bigint, rotation: Rotation): Rotated | undefined {
    const old = found(statements.byId.get(id));
    if (old === undefined) return undefined;
    requireActive(old, rotation.at);
    const oldEndsAt = endOfRotated(old, rotation);
    statements.end.run(oldEndsAt, id);
    return { successor: create(successorOf(old, rotation), old), oldEndsAt };
  }

  function update(
    id: bigint,
    at: number,
    change: (current: ApiKey) => KeySettings,
  ): ApiKey | undefined {
    const current = found(statements.byId.get(id));
    if (current === undefined) return undefined;
    const next = change(current);
    const hasOther = (time: number) => statements.otherAdmin.get(id, time) !== null;
    requireOtherAdmin(current, next, at, hasOther);
    return found(statements.save.get(...settingsValues(next), id));
  }

  function found(row: KeyRow | null): ApiKey | undefined {
    return row === null ? undefined : keyOf(row);
  }

  return {
    hashBeginnings: () => read(() => statements.beginnings.all().map(({ beginning }) => beginning)),
    findByHash: (hash) => read(() => found(statements.byHash.get(hash))),
    find: (id) => read(() => found(statements.byId.get(id))),
    list: () => read(() => statements.all.all().map(keyOf)),
    page: ({ afterId, limit }) =>
      read(() => pageOf(statements.page.all(afterId ?? 0n, limit + 1).map(keyOf), limit)),
    create: (key) => write(() => create(key)),
    rotate: (id, rotation) => write(() => rotate(id, rotation)),
    update: (id, at, change) => write(() => update(id, at, change)),
    revoke: (id, at) => write(() => void statements.revoke.run(at, id)),
    unban: (id, at) => write(() => void statements.unban.run(at, id)),
    recordUse: (lastUsedAt) =>
      writeInSlices(write, [...lastUsedAt], ([id, at]) => void statements.use.run(at, id)),
  };
}
