import type { Limiter } from '../domain/allowance.ts';
import { changeMetrics, type MeasuredChanges } from './change-metrics.ts';
import type { Labels, Metric } from './exposition.ts';
import type { Histogram } from './histogram.ts';
import { countDecisions } from './limiter-counts.ts';
import { processMetrics } from './process-metrics.ts';
import { createRequestCounts, type RequestCounts } from './request-counts.ts';
import { createStorageCounts, type StorageCounts } from './storage-counts.ts';

/** Lookups in the response cache. */
export interface Lookups {
  hits: number;
  misses: number;
}

/** Refused requests by reason, and requests that wait for their bodies. */
export interface Refusals {
  /** Too many were in progress. */
  readonly refusedInProgress: number;
  /** They waited too long in the queue. */
  readonly refusedQueued: number;
  /** Too many bodies were awaited. */
  readonly refusedBodies: number;
  /** Bodies that are awaited now. */
  readonly awaitedBodies: number;
}

/** Sources of the metrics. */
export interface Measured {
  readonly operationIds: readonly string[];
  /** The engine of the storage. */
  readonly engine: string;
  /** Labels that identify the release and its configuration. */
  readonly build: Labels;
  /** Requests that are not answered yet. */
  pending(): number;
  /** Requests that were refused because of overload. */
  refused(): Refusals;
  /** Waits of requests for the event loop, in seconds. */
  delays(): Histogram;
  /** Lines of the log that were dropped. */
  dropped(): number;
  readonly changes: MeasuredChanges;
}

/** The metrics of a running service. */
export interface Metrics {
  readonly requests: RequestCounts;
  readonly storage: StorageCounts;
  readonly cacheLookups: Lookups;
  /** Returns a limiter that does the same, and counts its decisions. */
  counted(limiter: Limiter): Limiter;
  /** All current metrics. */
  all(): readonly Metric[];
}

/** Starts counting. */
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
      ...changeMetrics(measured.changes),
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
      help: 'Requests that are not answered yet.',
      type: 'gauge',
      samples: () => [[{}, pending()]],
    },
    {
      name: 'petstore_http_requests_refused_total',
      help: 'Requests answered with 503, by reason: too many in progress, too long in the queue, or too many bodies awaited.',
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
      help: 'How long an event waits for the event loop, measured up to 20 times a second while requests come.',
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
      help: 'Lines of the log that were dropped because standard output was blocked.',
      type: 'counter',
      samples: () => [[{}, dropped()]],
    },
  ];
}
