import type { Limiter } from '../domain/allowance.ts';
import type { BackupReport } from '../domain/backup.ts';
import type { NumberingLag, WaitReport } from '../domain/change-log.ts';
import type { DeliveryReport } from '../domain/delivery.ts';
import { MAIL_OUTCOMES, type MailReport } from '../domain/mail.ts';
import { backupMetrics } from './backup-metrics.ts';
import { type BusiestKeys, createBusiestKeys } from './busiest-keys.ts';
import { lagMetrics, waitMetrics } from './change-metrics.ts';
import { deliveryMetrics } from './delivery-metrics.ts';
import {
  counter,
  gauge,
  type Histogram,
  histogram,
  type Labels,
  type Metric,
  single,
} from './exposition.ts';
import { countDecisions } from './limiter-counts.ts';
import { processMetrics } from './process-metrics.ts';
import { createRequestCounts, type RequestCounts } from './request-counts.ts';
import { type MeasuredRoom, roomMetrics } from './room-metrics.ts';
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

/** Sources of the metrics of the requests that a thread serves. */
export interface MeasuredServing {
  /** Requests that are not answered yet. */
  pending(): number;
  /** Requests that were refused because of overload. */
  refused(): Refusals;
  /** Waits of requests for the event loop, in seconds. */
  delays(): Histogram;
  /** The waits for events. */
  waits(): WaitReport;
}

/** Sources of the metrics of a process. */
export interface MeasuredProcess extends MeasuredRoom {
  /** Labels that identify the release and its configuration. */
  readonly build: Labels;
  /** Lines of the log that were dropped. */
  dropped(): number;
  /** How the numbering of changes keeps up; undefined while that is unknown. */
  lag(): NumberingLag | undefined;
  /** The deliveries to webhooks. */
  deliveries(): DeliveryReport;
  /** The mails to staff; undefined if there are none. */
  mails(): MailReport | undefined;
  /** The backups that it makes; undefined if it makes none. */
  backups(): BackupReport | undefined;
}

/** Sources of the metrics. */
export interface Measured {
  readonly operationIds: readonly string[];
  /** The engine of the storage. */
  readonly engine: string;
  /** Undefined until this thread serves, and if it never does. */
  serving(): MeasuredServing | undefined;
  /** Absent on every thread but the main one. */
  readonly process?: MeasuredProcess;
}

/** The metrics of a running service. */
export interface Metrics {
  readonly requests: RequestCounts;
  readonly storage: StorageCounts;
  readonly cacheLookups: Lookups;
  readonly keys: BusiestKeys;
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
  const keys = createBusiestKeys();
  const ofProcess = measured.process && [
    ...logMetrics(measured.process),
    ...lagMetrics(measured.process),
    ...deliveryMetrics(measured.process.deliveries),
    mailMetric(measured.process.mails),
    ...roomMetrics(measured.process),
    ...backupMetrics(measured.process.backups),
    ...processMetrics(measured.process.build),
  ];
  let ofLimiter: readonly Metric[] = [];

  return {
    requests,
    storage,
    cacheLookups,
    keys,
    counted(limiter) {
      const counted = countDecisions(limiter);
      ofLimiter = counted.metrics;
      return counted.limiter;
    },
    all: () => [
      ...requests.metrics,
      ...servingMetrics(measured.serving, cacheLookups),
      ...ofLimiter,
      ...keys.metrics,
      ...storage.metrics,
      ...waitMetrics(() => measured.serving()?.waits()),
      ...(ofProcess ?? []),
    ],
  };
}

function servingMetrics(serving: Measured['serving'], lookups: Lookups): readonly Metric[] {
  return [
    gauge('petstore_http_requests_pending', 'Requests that are not answered yet.', () =>
      single(serving()?.pending()),
    ),
    counter(
      'petstore_http_requests_refused_total',
      'Requests answered with 503, by reason: too many in progress, too long in the queue, or too many bodies awaited.',
      () => {
        const refusals = serving()?.refused();
        if (refusals === undefined) return [];
        return [
          [{ reason: 'in_progress' }, refusals.refusedInProgress],
          [{ reason: 'queue' }, refusals.refusedQueued],
          [{ reason: 'bodies' }, refusals.refusedBodies],
        ];
      },
    ),
    gauge(
      'petstore_http_bodies_awaited',
      'Requests whose body has not arrived yet; they are not in progress.',
      () => single(serving()?.refused().awaitedBodies),
    ),
    histogram(
      'petstore_event_loop_lag_seconds',
      'How long an event waits for the event loop, measured up to 20 times a second while requests come.',
      () => single(serving()?.delays()),
    ),
    counter(
      'petstore_response_cache_lookups_total',
      'Cacheable responses, by whether they came from the cache (hit) or were made (miss).',
      () => [
        [{ result: 'hit' }, lookups.hits],
        [{ result: 'miss' }, lookups.misses],
      ],
    ),
  ];
}

function logMetrics({ dropped }: MeasuredProcess): readonly Metric[] {
  return [
    counter(
      'petstore_log_lines_dropped_total',
      'Lines of the log that were dropped because standard output was blocked.',
      () => single(dropped()),
    ),
  ];
}

function mailMetric(report: () => MailReport | undefined): Metric {
  return counter(
    'petstore_mails_total',
    'Attempts to mail staff about enquiries by outcome: sent, failed, or given up.',
    () => {
      const counts = report();
      return counts ? MAIL_OUTCOMES.map((outcome) => [{ outcome }, counts[outcome]] as const) : [];
    },
  );
}
