import { createBannedLookups } from '../api/pipeline/banned-lookups.ts';
import { createWrites } from '../api/pipeline/writes.ts';
import { operations } from '../api/resources/operations.ts';
import type { Certificate } from '../certificate.ts';
import { createFeed } from '../changes/feed.ts';
import type { Config } from '../config.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { LimitMemory } from '../limits/shared-memory/limiter.ts';
import type { SlotAllocator } from '../limits/shared-memory/slot-allocator.ts';
import { createUsageCounter } from '../limits/usage-counter.ts';
import { addressOf, findPort } from '../listener.ts';
import { configuredBaseUrl, type Serving, type ServingParts } from '../serving.ts';
import { CONNECTIONS } from '../storage/opening.ts';
import type { MainCalls, ServeOrder } from './calls.ts';
import { type Crew, createCrew } from './crew.ts';
import type { SpawnWorker } from './thread.ts';
import { createSharedUploadSlots, type SharedUploadSlots } from './upload-slots.ts';

/** A worker needs a connection to read and one to write, or its requests wait for each other. */
const CONNECTIONS_MIN = 2;

/** Counts in memory that all threads share. */
export interface SharedLimits {
  readonly memory: LimitMemory;
  readonly allocator: SlotAllocator;
  /** Frees what a thread held when it died. */
  freeHeldBy(thread: number): void;
}

/** What the workers need from the process around them. */
export interface SupervisorParts
  extends Pick<
    ServingParts,
    'storage' | 'limiter' | 'fence' | 'imports' | 'clock' | 'log' | 'metrics' | 'webhooks'
  > {
  readonly workers: number;
  readonly certificate: Certificate | undefined;
  /** Undefined if another server counts. */
  readonly limits: SharedLimits | undefined;
  readonly spawn: SpawnWorker;
}

/**
 * Serves requests with several threads on one port, and replaces those that die. This thread makes
 * all writes on SQLite, writes the log and does the periodic work. Throws the runtime's error for an
 * unusable address, or what keeps the workers from serving.
 */
export async function startSupervised(config: Config, parts: SupervisorParts): Promise<Serving> {
  const { fence, limits, workers } = parts;
  const port = await findPort(config);
  const url = addressOf(parts.certificate ? 'https' : 'http', config.host, port);
  const baseUrl = configuredBaseUrl(config) ?? `${url}/v1`;
  let { certificate } = parts;
  let isFenced = fence.isFenced();

  const orderFor = (worker: number): ServeOrder => ({
    worker,
    config: shareOf(config, worker, workers),
    port,
    certificate,
    isFenced,
    limits: limits?.memory,
    connections: Math.max(CONNECTIONS_MIN, Math.ceil(CONNECTIONS / workers)),
  });
  const uploads = createSharedUploadSlots();
  const crew: Crew = createCrew({
    ...{ workers, orderFor, log: parts.log, spawn: parts.spawn },
    calls: {
      ...callsOf(config, baseUrl, parts),
      ...uploads.calls,
      storeUsage: () => crew.each((worker) => worker.call('storeUsage', undefined)),
    },
    died(worker) {
      limits?.freeHeldBy(worker);
      uploads.freeHeldBy(worker);
    },
  });
  await crew.start();

  return {
    url,
    baseUrl,
    measured: undefined,
    collect: crew.collect,
    async renew(renewed) {
      certificate = renewed;
      await crew.each((worker) => worker.call('renew', renewed));
    },
    setFenced(now) {
      if (now === isFenced) return;
      isFenced = now;
      void crew.each((worker) => worker.tell('setFenced', now));
    },
    announceEnd: () => void crew.each((worker) => worker.tell('announceEnd', undefined)),
    end: crew.end,
  };
}

/** Returns the settings of a worker. The bounds of the process are divided, so that they hold. */
function shareOf(config: Config, worker: number, workers: number): Config {
  const { maxInProgress, maxWaiting } = config;
  const remainder = worker <= maxWaiting % workers ? 1 : 0;
  return {
    ...config,
    maxInProgress: Math.ceil(maxInProgress / workers),
    maxWaiting: Math.floor(maxWaiting / workers) + remainder,
  };
}

/** The calls that workers make on this thread. */
function callsOf(
  config: Config,
  baseUrl: string,
  parts: SupervisorParts,
): Omit<MainCalls, 'storeUsage' | keyof SharedUploadSlots['calls']> {
  const { storage, limiter, imports, clock, log, limits, metrics, webhooks } = parts;
  const { environment } = config;
  const executeWrite = createWrites(
    {
      ...{ storage, limiter, imports, clock, baseUrl, environment, webhooks },
      // For operations that read, which workers run themselves.
      feed: createFeed(storage.changes, 0),
      usage: createUsageCounter(storage.usage),
    },
    storage.idempotency,
  );
  const countBannedLookup = createBannedLookups();
  const byId = new Map(operations.map((operation) => [operation.id, operation]));

  return {
    write({ operationId, request }) {
      const operation = byId.get(operationId);
      if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
      return executeWrite(operation, request);
    },
    countBannedLookup: ({ keyId, at }) => countBannedLookup(keyId, at),
    recordUse: storage.keys.recordUse,
    startSession: ({ session, replaces }) => storage.sessions.create(session, replaces),
    endSession: storage.sessions.remove,
    recordSessionUse: storage.sessions.recordUse,
    addUsage: storage.usage.add,
    slotOf: (familyId): MaybePromise<number> => {
      if (limits === undefined) throw new Error('another server counts requests');
      return limits.allocator.slotOf(familyId);
    },
    reportAllowances: limiter.report,
    noteRequests: ([keyId, requests]) => metrics.keys.note(keyId, requests),
    log: log.writeLines,
  };
}
