import {
  type IdempotentRequest,
  keyReused,
  RESULT_RETENTION_MS,
  type StoredResult,
} from '../../domain/idempotency.ts';

/** The columns of a `StoredResultRow`. */
export const STORED_RESULT_COLUMNS = 'fingerprint, status, body, headers, kept_at';

/** The result of an idempotent request as a row. */
export interface StoredResultRow {
  readonly fingerprint: string;
  readonly status: bigint;
  readonly body: string;
  readonly headers: string;
  readonly kept_at: bigint;
}

/**
 * Returns the result to replay for a repeated request; undefined if it has expired.
 * Throws `idempotency_key_reused` for another body.
 */
export function storedResultOf(
  row: StoredResultRow,
  request: IdempotentRequest,
): StoredResult | undefined {
  if (Number(row.kept_at) <= request.at - RESULT_RETENTION_MS) return undefined;
  if (row.fingerprint !== request.fingerprint) throw keyReused();
  return { status: Number(row.status), body: row.body, headers: JSON.parse(row.headers) };
}
