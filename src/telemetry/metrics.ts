import type { Limiter } from '../domain/allowance.ts';
import type { Labels, Metric } from './exposition.ts';
import type { Histogram } from './histogram.ts';
import { countDecisions } from './limiter-counts.ts';
import { processMetrics } from './process-metrics.ts';
import { createRequestCounts, type RequestCounts } from './request-counts.ts';
import { createStorageCounts, type StorageCounts } from './storage-counts.ts';

/** How often an answer was ready when it was asked for. */
export interface Lookups {
  hits: number;
  misses: number;
}

/** How many requests were refused, and for what; and how many wait for their bodies. */
export interface Refusals {
  /** Too many were in progress. */
  readonly refusedInProgress: number;
  /** They waited too long for their turn. */
  readonly refusedQueued: number;
  /** Too many bodies were on their way. */
  readonly refusedBodies: number;
  /** Bodies that are on their way at this moment. */
  readonly awaitedBodies: number;
}

/** What the metrics are of. */
export interface Measured {
  readonly operationIds: readonly string[];
  /** The engine of the storage. */
  readonly engine: string;
  /** What tells one release and its configuration from another. */
  readonly build: Labels;
  /** Requests that have come and are not answered yet. */
  pending(): number;
  /** Requests that were refused since they came on top of too many. */
  refused(): Refusals;
  /** How long requests waited for their turn, in seconds. */
  delays(): Histogram;
  /** Lines of the log that could not be written. */
  dropped(): number;
}

/** All that is counted while the service runs. */
export interface Metrics {
  readonly requests: RequestCounts;
  readonly storage: StorageCounts;
  readonly cacheLookups: Lookups;
  /** A limiter that does what this one does, and whose decisions are counted. */
  counted(limiter: Limiter): Limiter;
  /** Everything at this moment. */
  all(): readonly Metric[];
}

/** Begins to count. */
export function createMetrics(measured: Measured): Metrics {
  const requests = createRequestCounts(measured.operationIds);
  const storage = createStorageCounts(measured.engine);
  const cacheLookups = { hits: 0, misses: 0 };
  const ofProcess = processMetrics(measured.build);
  let ofLimiter: readonly Metric[] = [];

  return {
    requests,
    storage,
    cacheLookups,
    counted(limiter) {
      const counted = countDecisions(limiter);
      ofLimiter = counted.metrics;
      return counted.limiter;
    },
    all: () => [
      ...requests.metrics,
      ...servingMetrics(measured, cacheLookups),
      ...ofLimiter,
      ...storage.metrics,
      ...ofProcess,
    ],
  };
}

function servingMetrics(
  { pending, refused, delays, dropped }: Measured,
  lookups: Lookups,
): readonly Metric[] {
  return [
    {
      name: 'petstore_http_requests_pending',
      help: 'Requests that have come and are not answered yet.',
      type: 'gauge',
      samples: () => [[{}, pending()]],
    },
    {
      name: 'petstore_http_requests_refused_total',
      help: 'Requests answered with 503 since too many were in progress, or since they waited too long for their turn, or since too many bodies were on their way.',
      type: 'counter',
      samples: () => [
        [{ reason: 'in_progress' }, refused().refusedInProgress],
        [{ reason: 'queue' }, refused().refusedQueued],
        [{ reason: 'bodies' }, refused().refusedBodies],
      ],
    },
    {
      name: 'petstore_http_bodies_awaited',
      help: 'Requests whose body has not arrived yet; they are not in progress.',
      type: 'gauge',
      samples: () => [[{}, refused().awaitedBodies]],
    },
    {
      name: 'petstore_event_loop_lag_seconds',
      help: 'How long what arrives waits until the event loop comes to it; measured while requests come, up to 20 times a second.',
      type: 'histogram',
      samples: () => [[{}, delays()]],
    },
    {
      name: 'petstore_response_cache_lookups_total',
      help: 'Cacheable responses, by whether they came from the cache (hit) or were made (miss).',
      type: 'counter',
      samples: () => [
        [{ result: 'hit' }, lookups.hits],
        [{ result: 'miss' }, lookups.misses],
      ],
    },
    {
      name: 'petstore_log_lines_dropped_total',
      help: 'Lines of the log that were dropped because standard output did not take them.',
      type: 'counter',
      samples: () => [[{}, dropped()]],
    },
  ];
}
