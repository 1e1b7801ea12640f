import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import type { Records } from './records.ts';

/** Results are stored for retries for this long. */
export const RESULT_RETENTION_MS = DAY_MS;

/** A request that takes effect once, however often it is sent. */
export interface IdempotentRequest {
  /** The first key of the caller's family, so that its successor can retry a request. */
  readonly keyId: bigint;
  /** The id of the operation, and the parameters of its path. */
  readonly operation: string;
  /** The Idempotency-Key that the client sent. */
  readonly key: string;
  /** SHA-256 of the body in hexadecimal: the same key with a different body is a mistake. */
  readonly fingerprint: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The stored result of a request, which is sent again on a retry. */
export interface StoredResult {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The outcome of an idempotent request. */
export interface OnceOutcome {
  readonly result: StoredResult;
  /** True if the result is that of an earlier request. */
  readonly replayed: boolean;
}

/** The storage contract of the results of idempotent requests. */
export interface IdempotencyStorage {
  /**
   * Returns the stored result of this request, or runs `work` and stores its result. The effect and
   * the result are written in one transaction: a crash leaves both or neither. Rethrows what `work`
   * throws; nothing is stored then. Throws `idempotency_key_reused` for a different fingerprint, and
   * may throw `idempotency_in_progress` while another instance serves the same request.
   */
  once(
    request: IdempotentRequest,
    work: (records: Records) => Promise<StoredResult>,
  ): Promise<OnceOutcome>;
  /** Returns the stored result of this request, if there is one. Throws `idempotency_key_reused`. */
  find(request: IdempotentRequest): Promise<StoredResult | undefined>;
  /**
   * Removes results that were stored at or before `time`, the oldest first and at most `most` of
   * them. Returns the number removed. Other work waits meanwhile, so `most` should be small.
   */
  removeExpired(time: number, most: number): Promise<number>;
}

/** The failure of an Idempotency-Key that was used with a different body. */
export function keyReused(): Failure {
  return new Failure(
    'idempotency_key_reused',
    'This Idempotency-Key was already used with a different body; use a new key for a new request.',
  );
}

/** The failure of a retry that arrives before the first request has a result. */
export function inProgress(): Failure {
  const message = 'A request with this Idempotency-Key is still in progress; try again shortly.';
  return new Failure('idempotency_in_progress', message);
}
