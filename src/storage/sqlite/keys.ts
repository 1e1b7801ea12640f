import type { Database } from 'bun:sqlite';
import { type ApiKey, type KeyStorage, type NewApiKey, SCOPES } from '../../domain/api-key.ts';
import { numbersOnKey, type PlanName } from '../../domain/plan.ts';
import { attempt, insertedRow } from './connection.ts';
import type { Write } from './writer.ts';

interface Row {
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

const COLUMNS = `id, name, plan, per_minute, per_day, scopes, created_at, expires_at, last_used_at,
  revoked_at, unbanned_at`;

function numberOrNull(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

function keyOf(row: Row): ApiKey {
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

/** API keys in SQLite. */
export function createKeyStorage(database: Database, write: Write): KeyStorage {
  const byHash = database.query<Row, [string]>(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ?`);
  const byId = database.query<Row, [bigint]>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`);
  const all = database.query<Row, []>(`SELECT ${COLUMNS} FROM api_keys ORDER BY id`);
  const insert = database.query<Row, (string | number | null)[]>(
    `INSERT INTO api_keys (hash, name, plan, per_minute, per_day, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
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
    'UPDATE api_keys SET unbanned_at = max(coalesce(unbanned_at, 0), ?) WHERE id = ?',
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

  function recordUse(lastUsedAt: ReadonlyMap<bigint, number>): void {
    for (const [id, at] of lastUsedAt) use.run(at, id);
  }

  function found(row: Row | null): ApiKey | undefined {
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
    recordUse: (lastUsedAt) => write(() => recordUse(lastUsedAt)),
  };
}
