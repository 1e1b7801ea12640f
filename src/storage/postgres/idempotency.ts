import {
  type IdempotencyStorage,
  type IdempotentRequest,
  inProgress,
  type OnceOutcome,
  RESULT_RETENTION_MS,
  type StoredResult,
} from '../../domain/idempotency.ts';
import type { Records } from '../../domain/records.ts';
import {
  STORED_RESULT_COLUMNS,
  type StoredResultRow,
  storedResultOf,
} from '../rows/stored-result.ts';
import type { Session } from './connection.ts';
import { isLockTimeout, LostRace } from './faults.ts';
import type { Access, Write } from './writer.ts';

type Work = Parameters<IdempotencyStorage['once']>[1];

/**
 * Results of idempotent requests in PostgreSQL. `writeRecords` is for transactions that change
 * records; `recordsIn` binds records to one.
 */
export function createIdempotencyStorage(
  { write }: Access,
  writeRecords: Write,
  recordsIn: (session: Session) => Records,
): IdempotencyStorage {
  async function once(
    session: Session,
    request: IdempotentRequest,
    work: Work,
  ): Promise<OnceOutcome> {
    await waitForOthers(session, request);
    const [row] = await session.query<StoredResultRow>(
      `SELECT ${STORED_RESULT_COLUMNS} FROM idempotent_results
       WHERE key_id = $1 AND operation = $2 AND idempotency_key = $3`,
      request.keyId,
      request.operation,
      request.key,
    );
    const stored = row === undefined ? undefined : storedResultOf(row, request);
    if (stored !== undefined) return { result: stored, replayed: true };
    const result = await work(recordsIn(session));
    await keep(session, request, result);
    return { result, replayed: false };
  }

  return {
    once: (request, work) => writeRecords((session) => once(session, request, work)),
    // Another instance may delete the same rows; those that it has locked are skipped.
    removeExpired: (time, most) =>
      write((session) =>
        session.run(
          `WITH old AS (
             SELECT key_id, operation, idempotency_key FROM idempotent_results
             WHERE kept_at <= $1 ORDER BY kept_at LIMIT $2 FOR UPDATE SKIP LOCKED
           )
           DELETE FROM idempotent_results AS kept USING old
           WHERE kept.key_id = old.key_id AND kept.operation = old.operation
             AND kept.idempotency_key = old.idempotency_key`,
          BigInt(time),
          BigInt(most),
        ),
      ),
  };
}

/**
 * Waits while another instance serves a request with the same key. Throws
 * `idempotency_in_progress` if that takes too long.
 */
async function waitForOthers(session: Session, request: IdempotentRequest): Promise<void> {
  const { keyId, operation, key } = request;
  const lock = Bun.hash.wyhash(`${keyId} ${operation} ${key}`);
  try {
    await session.query('SELECT pg_advisory_xact_lock($1)', BigInt.asIntN(64, lock));
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error;
  }
}

/**
 * Stores a result. If another one was stored meanwhile, which can only happen on an engine whose
 * advisory locks do nothing, the transaction is undone and run again, and finds it.
 */
async function keep(
  session: Session,
  { keyId, operation, key, fingerprint, at }: IdempotentRequest,
  result: StoredResult,
): Promise<void> {
  const stored = await session.run(
    `INSERT INTO idempotent_results AS known
       (key_id, operation, idempotency_key, fingerprint, status, body, headers, kept_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (key_id, operation, idempotency_key) DO UPDATE SET
       fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
       headers = excluded.headers, kept_at = excluded.kept_at
     WHERE known.kept_at <= $9`,
    keyId,
    operation,
    key,
    fingerprint,
    BigInt(result.status),
    result.body,
    JSON.stringify(result.headers),
    BigInt(at),
    BigInt(at - RESULT_RETENTION_MS),
  );
  if (stored === 0) throw new LostRace();
}
