import {
  type IdempotencyStorage,
  type IdempotentRequest,
  inProgress,
  type OnceOutcome,
  type StoredResult,
} from '../../domain/idempotency.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';

/** Runs the work of an idempotent request, or returns the result of an earlier one. */
export type Once = (
  request: IdempotentRequest,
  work: (records: Records) => MaybePromise<StoredResult>,
) => Promise<OnceOutcome>;

/**
 * Creates a guard that throws `idempotency_in_progress` while this instance serves a request with the
 * same key. The guard is only in memory, so it cannot outlive a crash; between instances the
 * transaction of the storage decides.
 */
export function createOnce(storage: IdempotencyStorage): Once {
  const running = new Set<string>();

  return async function once(request, work) {
    const name = `${request.keyId} ${request.operation} ${request.key}`;
    if (running.has(name)) throw inProgress();
    running.add(name);
    try {
      return await storage.once(request, work);
    } finally {
      running.delete(name);
    }
  };
}
