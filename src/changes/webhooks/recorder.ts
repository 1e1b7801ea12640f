import type { DeliveryStorage } from '../../domain/delivery.ts';
import { isUnavailable } from '../../domain/failure.ts';
import type { DisabledReason } from '../../domain/webhook.ts';
import type { Endpoint, EndpointBatch } from './endpoint.ts';

/** Deliveries in one transaction: a few milliseconds, during which requests wait on SQLite. */
const ROWS_MAX = 300;
/** The pause between two transactions, in milliseconds: under load, each stores many deliveries. */
const PAUSE_MS = 10;
/** The pause after a failure. */
const RETRY_MS = 250;

/** Stores the progress at endpoints. */
export interface Recorder {
  /** The endpoint has something to store. */
  changed(endpoint: Endpoint): void;
  /** Resolves when all is stored, or `stop` was called. */
  settled(): Promise<void>;
  /** Drops progress that is not stored. */
  stop(): void;
}

/** The parts of a recorder. */
export interface RecorderParts {
  record: DeliveryStorage['record'];
  /** The own id; undefined while this process holds nothing. */
  delivererId(): bigint | undefined;
  /** Others hold the webhook now. */
  lost(endpoint: Endpoint): void;
  disabled(endpoint: Endpoint, reason: DisabledReason): void;
  report(error: unknown): void;
}

/** Creates a recorder: one transaction at a time stores for many endpoints. */
export function createRecorder(parts: RecorderParts): Recorder {
  const waiting = new Set<Endpoint>();
  let underWay: Promise<void> | undefined;
  let isStopped = false;

  function take(): Map<Endpoint, EndpointBatch> {
    const batches = new Map<Endpoint, EndpointBatch>();
    let rows = 0;
    for (const endpoint of waiting) {
      if (rows >= ROWS_MAX) break;
      waiting.delete(endpoint);
      const batch = endpoint.takeBatch();
      if (batch === undefined) continue;
      batches.set(endpoint, batch);
      rows += batch.outcomes.length + 1;
    }
    return batches;
  }

  async function store(batches: ReadonlyMap<Endpoint, EndpointBatch>): Promise<void> {
    const delivererId = parts.delivererId();
    const progress = [...batches.values()].map((batch) => batch.progress);
    const held =
      delivererId === undefined ? new Set<bigint>() : await parts.record(delivererId, progress);
    for (const [endpoint, batch] of batches) {
      if (!held.has(batch.progress.webhookId)) {
        parts.lost(endpoint);
        continue;
      }
      const reason = endpoint.stored(batch);
      if (reason !== undefined) parts.disabled(endpoint, reason);
    }
  }

  /** Tries until the batches are stored, since nothing else says what has been delivered. */
  async function storeAtLast(batches: ReadonlyMap<Endpoint, EndpointBatch>): Promise<void> {
    while (!isStopped) {
      try {
        return await store(batches);
      } catch (error) {
        if (!isUnavailable(error)) parts.report(error);
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async function run(): Promise<void> {
    while (waiting.size > 0 && !isStopped) {
      const batches = take();
      if (batches.size > 0) await storeAtLast(batches);
      if (waiting.size > 0) await Bun.sleep(PAUSE_MS);
    }
  }

  function changed(endpoint: Endpoint): void {
    waiting.add(endpoint);
    if (isStopped) return;
    // After the turn, which may bring more.
    underWay ??= Promise.resolve()
      .then(run)
      .finally(() => {
        underWay = undefined;
        const [next] = waiting;
        if (next !== undefined) changed(next);
      });
  }

  return {
    changed,
    async settled() {
      while (underWay !== undefined) await underWay;
    },
    stop() {
      isStopped = true;
    },
  };
}
