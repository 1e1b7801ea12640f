import type { ApiKey, KeyStorage, NewApiKey } from '../../domain/api-key.ts';
import { numbersOnKey } from '../../domain/plan.ts';
import { KEY_COLUMNS, type KeyRow, keyOf } from '../key-row.ts';
import type { Session, Value } from './connection.ts';
import { records } from './json.ts';
import type { RecordsVersion } from './version.ts';
import type { Access } from './writer.ts';

/** API keys in PostgreSQL. When they were used is written once a second, and changes no answer. */
export function createKeyStorage(
  { read, write }: Access,
  writeBeside: RecordsVersion['writeBeside'],
): KeyStorage {
  const change = (text: string, ...values: Value[]) =>
    write(async (session) => void (await session.run(text, ...values)));

  return {
    findByHash: (hash) => read((session) => find(session, 'hash', hash)),
    find: (id) => read((session) => find(session, 'id', id)),
    list: () =>
      read(async (session) => {
        const text = `SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY id`;
        return (await session.query<KeyRow>(text)).map(keyOf);
      }),
    create: (key) => write((session) => create(session, key)),
    rotate: (id, at, successor) =>
      write(async (session) => {
        // LEAST and GREATEST leave out what is NULL.
        const text = 'UPDATE api_keys SET expires_at = least(expires_at, $1) WHERE id = $2';
        await session.run(text, BigInt(at), id);
        return await create(session, successor);
      }),
    revoke: (id, at) =>
      change(
        'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2',
        BigInt(at),
        id,
      ),
    changePlan(id, plan) {
      const { perMinute, perDay } = numbersOnKey(plan);
      const text = 'UPDATE api_keys SET plan = $1, per_minute = $2, per_day = $3 WHERE id = $4';
      return change(text, plan.name, exact(perMinute), exact(perDay), id);
    },
    unban: (id, at) =>
      change(
        'UPDATE api_keys SET unbanned_at = greatest(unbanned_at + 1, $1) WHERE id = $2',
        BigInt(at),
        id,
      ),
    recordUse: (lastUsedAt) => writeBeside((session) => recordUse(session, lastUsedAt)),
  };
}

function exact(value: number | null): bigint | null {
  return value === null ? null : BigInt(value);
}

async function find(
  session: Session,
  column: 'hash' | 'id',
  value: Value,
): Promise<ApiKey | undefined> {
  const text = `SELECT ${KEY_COLUMNS} FROM api_keys WHERE ${column} = $1`;
  const [row] = await session.query<KeyRow>(text, value);
  return row === undefined ? undefined : keyOf(row);
}

async function create(session: Session, key: NewApiKey): Promise<ApiKey> {
  const [row] = await session.query<KeyRow>(
    `INSERT INTO api_keys (hash, name, plan, per_minute, per_day, scopes, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${KEY_COLUMNS}`,
    key.hash,
    key.name,
    key.plan,
    exact(key.perMinute),
    exact(key.perDay),
    key.scopes.join(','),
    BigInt(key.createdAt),
    exact(key.expiresAt),
  );
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  return keyOf(row);
}

/** One statement, which may run again. Gives the number of its transaction. */
async function recordUse(
  session: Session,
  lastUsedAt: ReadonlyMap<bigint, number>,
): Promise<bigint | undefined> {
  const rows = [...lastUsedAt].map(([id, at]) => ({ id: String(id), at }));
  // Locked in one order, so that instances that write at once do not wait for each other in turn.
  const [row] = await session.query<{ xid: string }>(
    `WITH used AS (
       SELECT api_keys.id, given.at
       FROM ${records('$1', 'id bigint, at bigint')} JOIN api_keys ON api_keys.id = given.id
       ORDER BY api_keys.id FOR UPDATE OF api_keys
     )
     UPDATE api_keys SET last_used_at = greatest(last_used_at, used.at)
     FROM used WHERE api_keys.id = used.id RETURNING pg_current_xact_id()::text AS xid`,
    JSON.stringify(rows),
  );
  return row === undefined ? undefined : BigInt(row.xid);
}
