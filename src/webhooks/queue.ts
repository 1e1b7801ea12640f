import { createBatcher } from '../domain/batch.ts';
import type { AttemptRecord, DeliveryStorage, PendingDeliveries } from '../domain/delivery.ts';

/** Lines in one read of what is pending, and jobs of each. */
const READ_LINES_MAX = 100;
const READ_JOBS_MAX = 64;
/** Attempts that one transaction stores: a few milliseconds, during which requests wait on SQLite. */
const RECORDS_MAX = 300;

/** A line to read jobs for, beyond those of it that are unfinished. */
interface PendingRequest {
  readonly id: bigint;
  readonly unfinished: number;
}

/** Deliveries in the database: what several lines need at a time is one query or transaction. */
export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/** Creates the access of this process. `term` returns its term, undefined if it is not the leader. */
export function createDeliveryQueue(
  storage: DeliveryStorage,
  term: () => bigint | undefined,
  now: () => number,
) {
  async function pending(
    requests: readonly PendingRequest[],
  ): Promise<readonly (PendingDeliveries | undefined)[]> {
    const ids = requests.map(({ id }) => id);
    const limit = READ_JOBS_MAX + Math.max(...requests.map((each) => each.unfinished));
    const found = await storage.pending(ids, now(), limit);
    const byId = new Map(found.map((each) => [each.webhookId, each]));
    return ids.map((id) => byId.get(id));
  }

  async function record(attempts: readonly AttemptRecord[]): Promise<readonly boolean[]> {
    const current = term();
    const isStored = current !== undefined && (await storage.record(current, attempts));
    return attempts.map(() => isStored);
  }

  return {
    /** Returns what is pending; undefined if nothing is. */
    pending: createBatcher(pending, 1, READ_LINES_MAX),
    /** Stores an attempt. Returns false if this process is no longer the leader. */
    record: createBatcher(record, 1, RECORDS_MAX),
  };
}
