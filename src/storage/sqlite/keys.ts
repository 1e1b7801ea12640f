import type { Database } from 'bun:sqlite';
import type { ApiKey, KeyStorage, NewApiKey } from '../../domain/api-key.ts';
import { numbersOnKey, type PlanName } from '../../domain/plan.ts';
import { KEY_COLUMNS, type KeyRow, keyOf } from '../key-row.ts';
import { attempt, insertedRow } from './connection.ts';
import { writeInSlices } from './slices.ts';
import type { Write } from './writer.ts';

/** API keys in SQLite. */
export function createKeyStorage(database: Database, write: Write): KeyStorage {
  const byHash = database.query<KeyRow, [string]>(
    `SELECT ${KEY_COLUMNS} FROM api_keys WHERE hash = ?`,
  );
  const byId = database.query<KeyRow, [bigint]>(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = ?`);
  const all = database.query<KeyRow, []>(`SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY id`);
  const insert = database.query<KeyRow, (string | number | null)[]>(
    `INSERT INTO api_keys (hash, name, plan, per_minute, per_day, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${KEY_COLUMNS}`,
  );
  const end = database.query<null, [number, number, bigint]>(
    'UPDATE api_keys SET expires_at = min(coalesce(expires_at, ?), ?) WHERE id = ?',
  );
  const revoke = database.query<null, [number, bigint]>(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?',
  );
  const changePlan = database.query<null, [PlanName, number | null, number | null, bigint]>(
    'UPDATE api_keys SET plan = ?, per_minute = ?, per_day = ? WHERE id = ?',
  );
  const unban = database.query<null, [number, bigint]>(
    'UPDATE api_keys SET unbanned_at = max(coalesce(unbanned_at + 1, 0), ?) WHERE id = ?',
  );
  const use = database.query<null, [number, bigint]>(
    'UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
  );

  function create(key: NewApiKey): ApiKey {
    const row = insertedRow(
      insert,
      key.hash,
      key.name,
      key.plan,
      key.perMinute,
      key.perDay,
      key.scopes.join(','),
      key.createdAt,
      key.expiresAt,
    );
    return keyOf(row);
  }

  function rotate(id: bigint, at: number, successor: NewApiKey): ApiKey {
    end.run(at, at, id);
    return create(successor);
  }

  function found(row: KeyRow | null): ApiKey | undefined {
    return row === null ? undefined : keyOf(row);
  }

  return {
    findByHash: (hash) => attempt(() => found(byHash.get(hash))),
    find: (id) => attempt(() => found(byId.get(id))),
    list: () => attempt(() => all.all().map(keyOf)),
    create: (key) => write(() => create(key)),
    rotate: (id, at, successor) => write(() => rotate(id, at, successor)),
    revoke: (id, at) => write(() => void revoke.run(at, id)),
    changePlan: (id, plan) =>
      write(() => {
        const { perMinute, perDay } = numbersOnKey(plan);
        changePlan.run(plan.name, perMinute, perDay, id);
      }),
    unban: (id, at) => write(() => void unban.run(at, id)),
    recordUse: (lastUsedAt) =>
      writeInSlices(write, [...lastUsedAt], ([id, at]) => void use.run(at, id)),
  };
}
