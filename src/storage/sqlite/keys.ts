import type { Database } from 'bun:sqlite';
import type { ApiKey, KeyStorage, NewApiKey, Rotated, Rotation } from '../../domain/api-key.ts';
import { HASH_BEGINNING } from '../../domain/key-hash.ts';
import { endOfRotated, requireActive, successorOf } from '../../domain/key-lifecycle.ts';
import { numbersOnKey, type Plan, type PlanName } from '../../domain/plan.ts';
import {
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  NEW_KEY_COLUMNS,
  newKeyValues,
  sameFamily,
} from '../rows/key.ts';
import { insertedRow } from './connection.ts';
import { attempt } from './faults.ts';
import type { Write } from './group-commit.ts';
import { writeInSlices } from './slices.ts';

/** API keys in SQLite. */
export function createKeyStorage(database: Database, write: Write): KeyStorage {
  const byHash = database.query<KeyRow, [string]>(
    `SELECT ${KEY_COLUMNS} FROM api_keys WHERE hash = ?`,
  );
  const beginnings = database.query<{ beginning: string }, []>(
    `SELECT substr(hash, 1, ${HASH_BEGINNING}) AS beginning FROM api_keys`,
  );
  const byId = database.query<KeyRow, [bigint]>(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = ?`);
  const all = database.query<KeyRow, []>(`SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY id`);
  const insert = database.query<KeyRow, (string | bigint | null)[]>(
    `INSERT INTO api_keys (${NEW_KEY_COLUMNS.join(', ')})
     VALUES (${NEW_KEY_COLUMNS.map(() => '?').join(', ')}) RETURNING ${KEY_COLUMNS}`,
  );
  const end = database.query<null, [number, bigint]>(
    'UPDATE api_keys SET expires_at = ? WHERE id = ?',
  );
  const revoke = database.query<null, [number, bigint]>(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?',
  );
  const setPlan = database.query<KeyRow, [PlanName, number | null, number | null, bigint]>(
    `UPDATE api_keys SET plan = ?, per_minute = ?, per_day = ? WHERE id = ? RETURNING ${KEY_COLUMNS}`,
  );
  const unban = database.query<null, [number, bigint]>(
    `UPDATE api_keys SET unbanned_at = max(coalesce(unbanned_at + 1, 0), ?) WHERE ${sameFamily('?')}`,
  );
  const use = database.query<null, [number, bigint]>(
    'UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?',
  );

  function create(key: NewApiKey, predecessor?: ApiKey): ApiKey {
    return keyOf(insertedRow(insert, ...newKeyValues(key, predecessor)));
  }

  function rotate(id: bigint, rotation: Rotation): Rotated | undefined {
    const old = found(byId.get(id));
    if (old === undefined) return undefined;
    requireActive(old, rotation.at);
    const oldEndsAt = endOfRotated(old, rotation);
    end.run(oldEndsAt, id);
    return { successor: create(successorOf(old, rotation), old), oldEndsAt };
  }

  function changePlan(id: bigint, plan: Plan, at: number): ApiKey | undefined {
    const key = found(byId.get(id));
    if (key === undefined) return undefined;
    requireActive(key, at);
    const { perMinute, perDay } = numbersOnKey(plan);
    return found(setPlan.get(plan.name, perMinute, perDay, id));
  }

  function found(row: KeyRow | null): ApiKey | undefined {
    return row === null ? undefined : keyOf(row);
  }

  return {
    hashBeginnings: () => attempt(() => beginnings.all().map(({ beginning }) => beginning)),
    findByHash: (hash) => attempt(() => found(byHash.get(hash))),
    find: (id) => attempt(() => found(byId.get(id))),
    list: () => attempt(() => all.all().map(keyOf)),
    create: (key) => write(() => create(key)),
    rotate: (id, rotation) => write(() => rotate(id, rotation)),
    revoke: (id, at) => write(() => void revoke.run(at, id)),
    changePlan: (id, plan, at) => write(() => changePlan(id, plan, at)),
    unban: (id, at) => write(() => void unban.run(at, id)),
    recordUse: (lastUsedAt) =>
      writeInSlices(write, [...lastUsedAt], ([id, at]) => void use.run(at, id)),
  };
}
