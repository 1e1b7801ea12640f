import {
  type IdempotentRequest,
  type KeptResult,
  keyReused,
  RESULT_KEPT_MS,
} from '../../domain/idempotency.ts';

/** The columns of a `KeptRow`. */
export const KEPT_COLUMNS = 'fingerprint, status, body, headers, kept_at';

/** The result of an idempotent request as a database gives it. */
export interface KeptRow {
  readonly fingerprint: string;
  readonly status: bigint;
  readonly body: string;
  readonly headers: string;
  readonly kept_at: bigint;
}

/**
 * The result in a row, for another sending of the request; undefined where it is kept no longer.
 * Throws `idempotency_key_reused` for another body.
 */
export function keptResult(row: KeptRow, request: IdempotentRequest): KeptResult | undefined {
  if (Number(row.kept_at) <= request.at - RESULT_KEPT_MS) return undefined;
  if (row.fingerprint !== request.fingerprint) throw keyReused();
  return { status: Number(row.status), body: row.body, headers: JSON.parse(row.headers) };
}
