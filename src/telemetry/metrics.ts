import type { Limiter } from '../domain/allowance.ts';
import { WAIT_ENDS, type WaitReport } from '../domain/change-log.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { by, counter, gauge, type Histogram, histogram, type Metric } from './exposition.ts';
import { countDecisions } from './limiter-counts.ts';
import { type MeasuredProcess, processMetrics } from './process-metrics.ts';
import { createRequestCounts } from './request-counts.ts';
import { createStorageCounts } from './storage-counts.ts';

/** Lookups in the response cache. */
export interface Lookups {
  hits: number;
  misses: number;
}

/** Refused requests by reason, and requests that wait for their bodies. */
interface Refusals {
  /** Too many were in progress. */
  readonly refusedInProgress: number;
  /** Too many bodies were awaited. */
  readonly refusedBodies: number;
  /** Bodies that are awaited now. */
  readonly awaitedBodies: number;
}

/** Sources of the metrics of the requests. */
export interface MeasuredServing {
  /** Requests that are not answered yet. */
  pending(): number;
  /** Requests that were refused because of overload. */
  refused(): Refusals;
  /** How late the event loop was, in seconds. */
  lags(): Histogram;
  /** The waits for events. */
  waits(): WaitReport;
}

/** Sources of the metrics. */
export interface Measured {
  readonly operationIds: readonly string[];
  /** The engine of the storage. */
  readonly engine: string;
  /** Undefined until the service serves. */
  serving(): MeasuredServing | undefined;
  readonly process?: MeasuredProcess;
}

/** The metrics of a running service. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Starts counting. */
export function createMetrics(measured: Measured) {
  const requests = createRequestCounts(measured.operationIds);
  const storage = createStorageCounts(measured.engine);
  const cacheLookups: Lookups = { hits: 0, misses: 0 };
  const keys = createBusiestKeys();
  const ofProcess = measured.process ? processMetrics(measured.process) : [];
  let ofLimiter: readonly Metric[] = [];

  return {
    requests,
    storage,
    cacheLookups,
    keys,
    /** Returns a limiter that does the same, and counts its decisions. */
    counted(limiter: Limiter): Limiter {
      const counted = countDecisions(limiter);
      ofLimiter = counted.metrics;
      return counted.limiter;
    },
    /** All current metrics. */
    all: (): readonly Metric[] => [
      ...requests.metrics,
      ...servingMetrics(measured.serving, cacheLookups),
      ...ofLimiter,
      ...keys.metrics,
      ...storage.metrics,
      ...ofProcess,
    ],
  };
}

function servingMetrics(serving: Measured['serving'], lookups: Lookups): readonly Metric[] {
  return [
    gauge('petstore_http_requests_pending', 'Requests that are not answered yet.', () =>
      serving()?.pending(),
    ),
    counter(
      'petstore_http_requests_refused_total',
      'Requests answered with 503, by reason: too many in progress, or too many bodies awaited.',
      () => {
        const refusals = serving()?.refused();
        if (refusals === undefined) return undefined;
        return [
          [{ reason: 'in_progress' }, refusals.refusedInProgress],
          [{ reason: 'bodies' }, refusals.refusedBodies],
        ];
      },
    ),
    gauge(
      'petstore_http_bodies_awaited',
      'Requests whose body has not arrived yet; they are not in progress.',
      () => serving()?.refused().awaitedBodies,
    ),
    histogram(
      'petstore_event_loop_lag_seconds',
      'How late the event loop is, measured 40 times a second.',
      () => serving()?.lags(),
    ),
    counter(
      'petstore_response_cache_lookups_total',
      'Cacheable responses, by whether they came from the cache (hit) or were made (miss).',
      () => by('result', ['hit', 'miss'], { hit: lookups.hits, miss: lookups.misses }),
    ),
    gauge(
      'petstore_events_requests_waiting',
      'Requests that wait for events; they are not in progress.',
      () => serving()?.waits()?.waiting,
    ),
    counter(
      'petstore_events_waits_total',
      'Waits for events by how they ended: with events, out of time, disconnected client, shutdown, failed read, or refused because too many requests waited.',
      () => by('end', WAIT_ENDS, serving()?.waits()?.ended),
    ),
  ];
}

/** Keys in the metric: the number of series must not grow with the number of keys. */
const SHOWN = 10;
/** Keys that are followed. */
const KEYS_MAX = 10_000;
/** Requests a second below which a key is forgotten. */
const RATE_MIN = 0.001;

/** Creates an empty list of the keys that send the most requests. `now` returns milliseconds of a monotonic clock. */
export function createBusiestKeys(now: () => number = () => performance.now()) {
  /** Requests a second as of `at`, as an average in which the last minute counts most. */
  const rates = new Map<bigint, { rate: number; at: number }>();

  function currentRate(keyId: bigint, at: number): number {
    const known = rates.get(keyId);
    return known === undefined ? 0 : known.rate * Math.exp((known.at - at) / MINUTE_MS);
  }

  function current(): readonly (readonly [keyId: bigint, rate: number])[] {
    const at = now();
    const all = Array.from(rates.keys(), (keyId) => [keyId, currentRate(keyId, at)] as const);
    for (const [keyId, rate] of all) if (rate < RATE_MIN) rates.delete(keyId);
    return all.filter(([, rate]) => rate >= RATE_MIN).sort(([, a], [, b]) => b - a);
  }

  return {
    /** Notes requests of a key since it was last noted. */
    note(keyId: bigint, requests: number): void {
      if (rates.size >= KEYS_MAX && !rates.has(keyId) && current().length >= KEYS_MAX) return;
      const at = now();
      const rate = currentRate(keyId, at) + requests / (MINUTE_MS / SECOND_MS);
      rates.set(keyId, { rate, at });
    },
    metrics: [
      gauge(
        'petstore_key_requests_per_second',
        'Requests a second of the ten busiest API keys, refused ones included, averaged over about a minute. Keys have their ids: `petstore keys list` shows the names.',
        () =>
          current()
            .slice(0, SHOWN)
            .map(([keyId, rate]) => [{ key: String(keyId) }, rate] as const),
      ),
    ],
  };
}
