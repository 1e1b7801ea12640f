import {
  type IdempotencyStorage,
  type IdempotentRequest,
  inProgress,
  type OnceOutcome,
  type StoredResult,
} from '../../domain/idempotency.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';

/** Runs the work of an idempotent request, or gives the result of an earlier one. */
export type Once = (
  request: IdempotentRequest,
  work: (records: Records) => MaybePromise<StoredResult>,
) => Promise<OnceOutcome>;

/**
 * Refuses a request while another one with its key is under way here, with
 * `idempotency_in_progress`. The mark is in memory alone, so none outlives a crash; between
 * instances the transaction of the storage decides.
 */
export function createOnce(storage: IdempotencyStorage): Once {
  const underWay = new Set<string>();

  return async function once(request, work) {
    const name = `${request.keyId} ${request.operation} ${request.key}`;
    if (underWay.has(name)) throw inProgress();
    underWay.add(name);
    try {
      return await storage.once(request, work);
    } finally {
      underWay.delete(name);
    }
  };
}
