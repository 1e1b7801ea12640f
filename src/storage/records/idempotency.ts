import {
  type IdempotencyStorage,
  type IdempotentRequest,
  keyReused,
  type OnceOutcome,
  RESULT_RETENTION_MS,
  type StoredResult,
} from '../../domain/idempotency.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import { fieldsOf, json, number, plain } from '../fields.ts';
import { LostRace, methodsOf, sql, type Transactions, type Work } from '../statements.ts';

/** A stored result, and what its request was. */
const KEPT = fieldsOf({
  fingerprint: plain<string>(),
  keptAt: number,
  status: number,
  body: plain<string>(),
  headers: json<StoredResult['headers']>,
});
const FIND = sql`SELECT ${KEPT.columns} FROM idempotent_results
    WHERE key_id = $1 AND operation = $2 AND idempotency_key = $3`.as(KEPT);
/** Replaces only a result that has expired at `$9`. */
const KEEP = sql`INSERT INTO idempotent_results AS known
    (key_id, operation, idempotency_key, fingerprint, status, body, headers, kept_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (key_id, operation, idempotency_key) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
    headers = excluded.headers, kept_at = excluded.kept_at
  WHERE known.kept_at <= $9`;
/** Skips those that another instance is removing. */
const SWEEP = sql`DELETE FROM idempotent_results WHERE (key_id, operation, idempotency_key) ${isChosen(sql`
    SELECT key_id, operation, idempotency_key FROM idempotent_results
    WHERE kept_at <= $1 ORDER BY kept_at LIMIT $2 ${skipLocked}`)}`;

/** What an engine adds to a transaction with an effect and its result. */
interface IdempotentWork {
  /** Waits while another instance serves a request with the same key. */
  waitForOthers?(request: IdempotentRequest): Work<void>;
  /** Runs the work of a request inside the transaction. */
  perform(work: Parameters<IdempotencyStorage['once']>[1]): Work<StoredResult>;
}

function* find({ keyId, operation, key, fingerprint, at }: IdempotentRequest) {
  const kept = yield* FIND.one(keyId, operation, key);
  if (kept === undefined || kept.keptAt <= at - RESULT_RETENTION_MS) return undefined;
  if (kept.fingerprint !== fingerprint) throw keyReused();
  const { status, body, headers } = kept;
  return { status, body, headers };
}

function* once(
  request: IdempotentRequest,
  work: Parameters<IdempotencyStorage['once']>[1],
  { waitForOthers, perform }: IdempotentWork,
): Work<OnceOutcome> {
  const { keyId, operation, key, fingerprint, at } = request;
  if (waitForOthers !== undefined) yield* waitForOthers(request);
  const kept = yield* find(request);
  if (kept !== undefined) return { result: kept, replayed: true };
  const result = yield* perform(work);
  const { status, body, headers } = result;
  const stored = yield* KEEP.changes(
    ...[keyId, operation, key, fingerprint],
    ...[status, body, JSON.stringify(headers), at, at - RESULT_RETENTION_MS],
  );
  // Another one was stored meanwhile, on an engine whose advisory locks do nothing: it is found then.
  if (stored === 0) throw new LostRace();
  return { result, replayed: false };
}

/** Results of idempotent requests. */
export function createIdempotencyStorage(
  transactions: Transactions,
  own: IdempotentWork,
): IdempotencyStorage {
  const { reads, writes } = methodsOf<IdempotencyStorage>(transactions);
  return {
    ...reads({ find }),
    ...writes({
      once: (request, work) => once(request, work, own),
      removeExpired: (time, most) => SWEEP.changes(time, most),
    }),
  };
}
