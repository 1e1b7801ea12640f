import { readdirSync, readFileSync } from 'node:fs';
import type { NumberingLag } from '../domain/change-log.ts';
import type { Channel } from '../domain/channel.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { ATTEMPT_OUTCOMES, type DeliveryReport, WEBHOOK_STATES } from '../domain/delivery.ts';
import { MAIL_OUTCOMES, type MailReport } from '../domain/mail.ts';
import type { DatabaseSpace } from '../domain/storage.ts';
import {
  by,
  counter,
  createHistogram,
  gauge,
  type Histogram,
  type Labels,
  type Metric,
  seconds,
} from './exposition.ts';
import { type MeasuredTasks, taskMetrics } from './task-metrics.ts';

const MICROSECONDS = 1_000_000;

/** A database, with the number of its animals. */
export interface MeasuredDatabase extends DatabaseSpace {
  readonly id: string;
  readonly animals: number;
}

/** Sources of the metrics of a process. What is undefined has no sample. */
export interface MeasuredProcess extends MeasuredTasks {
  /** Labels that identify the release and its configuration. */
  readonly build: Labels;
  /** Lines of the log that were dropped. */
  dropped(): number;
  /** How the numbering of changes keeps up. */
  lag(): NumberingLag | undefined;
  /** The deliveries to webhooks. */
  deliveries(): DeliveryReport;
  /** The channels of the deployment, as this process last read them. */
  channels(): readonly Channel[];
  /** The mails to staff. */
  mails(): MailReport | undefined;
  /** The database as last measured. */
  space(): MeasuredDatabase | undefined;
  /** Whether the last check of readiness passed. */
  wasReady(): boolean | undefined;
  /** The end of the TLS certificate, in milliseconds since the Unix epoch. */
  certificateEndsAt(): number | undefined;
}

/** The metrics of a process: its background work, resources that run out, and what it uses. */
export function processMetrics(measured: MeasuredProcess): readonly Metric[] {
  return [
    ...logMetrics(measured),
    ...webhookMetrics(measured),
    ...channelMetrics(measured.channels),
    ...roomMetrics(measured),
    ...stateMetrics(measured),
    ...taskMetrics(measured),
    ...resourceMetrics(measured.build),
  ];
}

function logMetrics({ dropped, lag, mails }: MeasuredProcess): readonly Metric[] {
  return [
    counter(
      'petstore_log_lines_dropped_total',
      'Lines of the log that were dropped because standard output was blocked.',
      () => dropped(),
    ),
    gauge(
      'petstore_changes_unnumbered',
      'Committed changes that have no id yet, so that no reader sees them.',
      () => lag()?.waiting,
    ),
    gauge(
      'petstore_changes_unnumbered_age_seconds',
      'Age of the oldest committed change that has no id yet: how late events are.',
      () => seconds(lag()?.oldestMs),
    ),
    counter(
      'petstore_mails_total',
      'Attempts to send mails by outcome: sent, failed, given up, or refused because the address is wrong.',
      () => by('outcome', MAIL_OUTCOMES, mails()),
    ),
  ];
}

function webhookMetrics({ deliveries }: MeasuredProcess): readonly Metric[] {
  return [
    gauge(
      'petstore_webhooks',
      'Webhooks of the deployment: enabled, or by the reason why they are disabled. Each instance shows all of them.',
      () => by('state', WEBHOOK_STATES, deliveries().webhooks),
    ),
    gauge(
      'petstore_webhooks_held',
      'Webhooks that this instance delivers to.',
      () => deliveries().held,
    ),
    gauge(
      'petstore_webhook_events_queued',
      'Events that this instance has still to deliver, at most 1,000 for each webhook; more stay in the change log.',
      () => deliveries().queued,
    ),
    gauge(
      'petstore_webhook_oldest_event_age_seconds',
      'Age of the oldest event that this instance has still to deliver; 0 if there is none.',
      () => seconds(deliveries().oldestMs),
    ),
    gauge(
      'petstore_webhook_attempts_in_progress',
      'Attempts to deliver that wait for their receiver, at most 512.',
      () => deliveries().sending,
    ),
    counter(
      'petstore_webhook_attempts_total',
      'Attempts to deliver by outcome: delivered, rejected by the receiver, timeout, unreachable, refused target, unreadable secret, or an event that expired before.',
      () => by('outcome', ATTEMPT_OUTCOMES, deliveries().attempts),
    ),
  ];
}

/** Resources that run out, measured long before callers notice. */
function roomMetrics({ space, certificateEndsAt }: MeasuredProcess): readonly Metric[] {
  return [
    gauge(
      'petstore_database_size_bytes',
      'Size of the database: of its file, or as the PostgreSQL server reports it. Each instance shows all of it.',
      () => space()?.size,
    ),
    gauge(
      'petstore_database_log_bytes',
      'Size of the write-ahead log beside the file (embedded database).',
      () => space()?.log,
    ),
    gauge(
      'petstore_disk_free_bytes',
      'Free space on the disk of the database (embedded database).',
      () => space()?.free,
    ),
    gauge(
      'petstore_tls_certificate_end_time_seconds',
      'End of the TLS certificate in use, in seconds since the Unix epoch. No sample without one.',
      () => seconds(certificateEndsAt()),
    ),
  ];
}

/** Whether the service is ready, and the size of its database. */
function stateMetrics({ space, wasReady }: MeasuredProcess): readonly Metric[] {
  return [
    gauge(
      'petstore_ready',
      '1 if the last check of readiness passed, every 15 seconds or when somebody asks /readyz, else 0.',
      wasReady,
    ),
    gauge(
      'petstore_animals',
      'Animals in the database. Each instance shows all of them; the label tells the database from another, and a copy has the same.',
      () => {
        const known = space();
        return known ? [[{ database: known.id }, known.animals] as const] : [];
      },
    ),
  ];
}

/** The use of resources, under the usual names of Prometheus clients. */
function resourceMetrics(build: Labels): readonly Metric[] {
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    gauge(
      'petstore_build_info',
      'Always 1; the labels identify the release and its platform.',
      () => [[build, 1]],
    ),
    gauge(
      'process_start_time_seconds',
      'Start time of the process, in seconds since the Unix epoch.',
      () => startedAt,
    ),
    counter('process_cpu_seconds_total', 'CPU time used by all threads of the process.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    }),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
      process.memoryUsage.rss(),
    ),
    gauge(
      'petstore_heap_used_bytes',
      'Heap memory in use, garbage included.',
      () => process.memoryUsage().heapUsed,
    ),
    gauge('process_open_fds', 'Open files and connections (Linux only).', openFiles),
    gauge('process_max_fds', 'Files and connections that may be open (Linux only).', maxFiles),
  ];
}

function openFiles() {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

/** Read each time: it can be changed while the process runs. No sample if there is no limit. */
function maxFiles() {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** The metric of channels; when each got its file is in those of tasks. */
function channelMetrics(channels: () => readonly Channel[]): readonly Metric[] {
  return [
    gauge(
      'petstore_channel_failures',
      'Files of a channel in a row that failed or were held back; -1 while it is disabled on request. Each instance shows all channels.',
      () =>
        channels().map(
          ({ id, kind, disabledReason, failures }) =>
            [{ channel: `${id}`, kind }, disabledReason === 'requested' ? -1 : failures] as const,
        ),
    ),
  ];
}

/** Milliseconds between two measurements. */
const EVERY_MS = 25;
/** Histogram buckets, in seconds. */
const LAGS = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Measures how late the event loop is, by a timer that does not keep the process alive. */
export function measureEventLoopLag(): { readonly lags: Histogram; end(): void } {
  const lags = createHistogram(LAGS);
  let dueAt = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lags.observe(Math.max(0, now - dueAt) / SECOND_MS);
    dueAt = now + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  return { lags, end: () => clearInterval(timer) };
}
