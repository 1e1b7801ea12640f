import { DAY_MS } from './clock.ts';
import { Failure } from './failure.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Records } from './records.ts';

/** How long a result is kept for a retry. */
export const RESULT_RETENTION_MS = DAY_MS;

/** A request that is to have its effect once, however often it is sent. */
export interface IdempotentRequest {
  /** The first key of the caller's family, so that a successor can repeat what its key began. */
  readonly keyId: bigint;
  /** Method and path, by the id of the operation. */
  readonly operation: string;
  /** What the client sent as Idempotency-Key. */
  readonly key: string;
  /** SHA-256 of the body, in hexadecimal: the same key with another body is a mistake. */
  readonly fingerprint: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A result as it is kept: what is sent again on a retry. */
export interface StoredResult {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of an idempotent request. */
export interface OnceOutcome {
  readonly result: StoredResult;
  /** Whether this is the result of an earlier request. */
  readonly replayed: boolean;
}

export interface IdempotencyStorage {
  /**
   * Gives the result that was kept for this request, or else runs `work` and keeps what it gives,
   * effect and record in one transaction: a crash leaves both or neither. What `work` throws is
   * thrown on and nothing is kept. Throws `idempotency_key_reused` for another fingerprint, and
   * may throw `idempotency_in_progress` while another instance is at the same request.
   */
  once(
    request: IdempotentRequest,
    work: (records: Records) => MaybePromise<StoredResult>,
  ): MaybePromise<OnceOutcome>;
  /**
   * Removes the oldest of the results that were kept up to `time`, at most `most` of them, and
   * gives how many it removed. Other work waits meanwhile, so `most` has to be small.
   */
  removeExpired(time: number, most: number): MaybePromise<number>;
}

/** The failure of a key that was used with another body. */
export function keyReused(): Failure {
  return new Failure(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body; use a new key for a new request.',
  );
}

/** The failure of a repeat that comes before the first request has its result. */
export function inProgress(): Failure {
  const message = 'A request with this Idempotency-Key is still under way; try again shortly.';
  return new Failure('idempotency_in_progress', message);
}
