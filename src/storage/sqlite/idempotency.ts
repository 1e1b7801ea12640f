import type { Database } from 'bun:sqlite';
import type {
  IdempotencyStorage,
  IdempotentRequest,
  OnceOutcome,
  StoredResult,
} from '../../domain/idempotency.ts';
import type { Records } from '../../domain/records.ts';
import {
  STORED_RESULT_COLUMNS,
  type StoredResultRow,
  storedResultOf,
} from '../rows/stored-result.ts';
import type { Write } from './group-commit.ts';

type Values = [bigint, string, string, string, number, string, string, number];

/** Results of idempotent requests in SQLite. `records` write inside the transaction. */
export function createIdempotencyStorage(
  database: Database,
  records: Records,
  write: Write,
): IdempotencyStorage {
  const find = database.query<StoredResultRow, [bigint, string, string]>(
    `SELECT ${STORED_RESULT_COLUMNS} FROM idempotent_results
     WHERE key_id = ? AND operation = ? AND idempotency_key = ?`,
  );
  const insert = database.query<null, Values>(
    `INSERT OR REPLACE INTO idempotent_results
       (key_id, operation, idempotency_key, fingerprint, status, body, headers, kept_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const sweep = database.query<null, [number, number]>(
    `DELETE FROM idempotent_results WHERE (key_id, operation, idempotency_key) IN (
       SELECT key_id, operation, idempotency_key FROM idempotent_results
       WHERE kept_at <= ? ORDER BY kept_at LIMIT ?
     )`,
  );

  function once(request: IdempotentRequest, work: (records: Records) => StoredResult): OnceOutcome {
    const { keyId, operation, key, fingerprint, at } = request;
    const row = find.get(keyId, operation, key);
    const stored = row === null ? undefined : storedResultOf(row, request);
    if (stored !== undefined) return { result: stored, replayed: true };
    const result = work(records);
    const headers = JSON.stringify(result.headers);
    insert.run(keyId, operation, key, fingerprint, result.status, result.body, headers, at);
    return { result, replayed: false };
  }

  return {
    once: (request, work) => write(() => once(request, atOnce(work))),
    removeExpired: (time, most) => write(() => sweep.run(time, most).changes),
  };
}

/** Inside an SQLite transaction everything is synchronous. */
function atOnce(
  work: Parameters<IdempotencyStorage['once']>[1],
): (records: Records) => StoredResult {
  return (records) => {
    const result = work(records);
    if (result instanceof Promise) throw new Error('a handler waited inside a transaction');
    return result;
  };
}
