import { hostname } from 'node:os';
import type { ResponseCache } from '../api/cache/response-cache.ts';
import { documentServers, documentText } from '../api/openapi/pages.ts';
import { operations } from '../api/resources/operations.ts';
import type { Backups } from '../backups/schedule.ts';
import type { Limiter } from '../domain/allowance.ts';
import { type Clock, systemClock } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { Fence, Obstacle, Storage } from '../domain/storage.ts';
import { createImportQueue } from '../import/queue.ts';
import { Scheduler } from '../jobs/scheduler.ts';
import { MEMORY } from '../limits/open.ts';
import type { Decoder } from '../photos/decoder.ts';
import { openPhotos } from '../photos/photos.ts';
import type { Config } from '../settings/config.ts';
import { RELEASE } from '../settings/release.ts';
import { databaseAddress } from '../storage/address.ts';
import { openStorage } from '../storage/open.ts';
import { type Opening, type OpeningNotices, servingNotices } from '../storage/opening.ts';
import { type Log, openLog } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import type { MeasuredDatabase, MeasuredProcess } from '../telemetry/process-metrics.ts';
import { addConfiguredBackups, createConfiguredMails } from './background.ts';
import { holdCertificate } from './certificate.ts';
import { type RunningChannels, startChannels } from './channels.ts';
import { createPhotoSources } from './import-photos.ts';
import { openConfiguredLimiter } from './limiter.ts';
import { openListener, type Socket } from './listener.ts';
import { createMeasurement, type ProcessMaintenance, startMaintenance } from './maintenance.ts';
import { metricsUrl, openOperationsPort } from './operations-port.ts';
import { redactionOf, type Serving, startServing } from './serving.ts';
import { createWebhookService, encryptSecrets, startConfiguredDeliveries } from './webhooks.ts';

/** A running service. */
export interface PetstoreServer {
  /** The root address as actually bound, without a path: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The base address of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** The address of the metrics; undefined if they are off. */
  readonly metricsUrl: string | undefined;
  /** Reads the files of the TLS certificate again. An unusable certificate changes nothing. */
  renewCertificate(): Promise<void>;
  /** Stops accepting, finishes requests in progress and writes the remaining counts. `signal` is for the log. */
  close(signal?: string): Promise<void>;
  /** For a process that exits at once: drops unwritten lines of the log. */
  abandon(): void;
}

/** Parts that a test may replace. */
interface ServerParts {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly limiter?: Limiter;
  readonly cache?: ResponseCache;
  readonly decoder?: Decoder;
  /** The only authority that channels trust, as PEM. */
  readonly authority?: string;
}

/**
 * Opens the service: the only place that wires its parts together. Throws `UnusableCertificate`,
 * `UnusableDatabase`, or the runtime's error for an address it cannot bind.
 */
export async function openServer(
  config: Config,
  parts: ServerParts = {},
  opening: OpeningNotices = {},
): Promise<PetstoreServer> {
  const clock = parts.clock ?? systemClock;
  const log = parts.log ?? openLog(config.logLevel, undefined, redactionOf(config));
  const certificate = await holdCertificate(config, clock, log);
  let serving: Serving | undefined;
  let maintenance: ProcessMaintenance | undefined;
  let scheduler: Scheduler | undefined;
  let backups: Backups | undefined;
  let sending: RunningChannels | undefined;
  const metrics = startMetrics(config, log, () => serving?.measured, {
    lag: () => lag.last(),
    deliveries: () => deliveries.report(),
    mails: () => deliveries.mails(),
    space: () => space.last(),
    wasReady: () => serving?.wasReady(),
    certificateEndsAt: () => certificate.current()?.endsAt,
    backups: () => backups?.report(),
    retention: () => maintenance?.retention.report(),
    tasks: () => scheduler?.report() ?? [],
    channels: () => sending?.report() ?? [],
  });
  // Closes what is open if a later part cannot be opened, in the same order as at the end: the
  // metrics stay reachable during a shutdown.
  await using opened = new AsyncDisposableStack();
  let operationsSocket: Socket | undefined;
  opened.defer(() => operationsSocket?.stop(true));
  const storage = await openTimedStorage(config, metrics, log, opening);
  opened.defer(() => storage.close());
  const counter = parts.limiter ?? (await openConfiguredLimiter(config, storage, log, parts.clock));
  const limiter = metrics.counted(counter);
  opened.defer(() => limiter.close());
  const lag = createMeasurement(() => storage.changes.lag());
  const space = createMeasurement(() => measureDatabase(storage));
  const fence = createFenceWatch(storage, log);
  const webhooks = createWebhookService(config, clock, (...of) => deliveries.changed(...of));
  opened.defer(webhooks.close);
  const failed = (error: unknown) => log.error('an import failed', error);
  const photos = openPhotos(config.photos, storage.photoFiles, clock, parts.decoder);
  opened.defer(() => photos.end());
  const photosFor = createPhotoSources(webhooks, photos);
  const imports = createImportQueue({ ...config, storage, clock, failed, photosFor });
  opened.defer(() => imports.end());
  const running = { storage, limiter, fence, imports, photos, clock, log, metrics, webhooks };
  maintenance = startMaintenance({ ...config, ...running, lag, space });
  opened.defer(maintenance.end);
  scheduler = new Scheduler({ ...running, storage: storage.tasks, isFenced: fence.isFenced });
  opened.defer(() => scheduler?.end());
  scheduler.add(maintenance.retention.task);
  const base = Promise.withResolvers<string>();
  sending = startChannels(config, { ...running, ...parts, scheduler, base: base.promise }, opened);
  const mails = createConfiguredMails(config, { ...running, scheduler }, base.promise);
  const deliveries = startConfiguredDeliveries(config, running, mails);
  opened.defer(() => deliveries.end());
  await encryptSecrets(config, running);
  operationsSocket = openOperationsPort(config, metrics.all, log);
  const listen = () => openListener({ ...config, certificate: certificate.current() });
  const started = await startServing(config, { ...parts, ...running, channels: sending, listen });
  opened.defer(() => started.end());
  serving = started;
  base.resolve(started.baseUrl);
  backups = addConfiguredBackups(config, { ...running, scheduler });
  const metricsAt = operationsSocket && metricsUrl(config, operationsSocket);
  logStart(log, started.baseUrl, metricsAt, storage);
  const all = opened.move();

  return {
    url: started.url,
    baseUrl: started.baseUrl,
    metricsUrl: metricsAt,
    renewCertificate: () => certificate.renew(started),
    close: (signal) => close(config, started, all, log, signal),
    abandon: log.abandon,
  };
}

async function close(
  { shutdownDelayMs }: Config,
  serving: Serving,
  opened: AsyncDisposable,
  log: Log,
  signal: string | undefined,
): Promise<void> {
  log.info('stopping', { signal });
  serving.announceEnd();
  await Bun.sleep(shutdownDelayMs);
  await opened[Symbol.asyncDispose]();
  log.info('stopped');
  await log.end();
}

function logStart(log: Log, url: string, metrics: string | undefined, { schema }: Storage): void {
  log.info('serving', { url, metrics, ...RELEASE, schema });
  log.flush();
}

/** Opens the storage; the metrics time its calls. Throws `UnusableDatabase`. */
async function openTimedStorage(
  config: Config,
  metrics: Metrics,
  log: Log,
  opening: OpeningNotices & Pick<Opening, 'diskFull'>,
): Promise<Storage> {
  const notices = servingNotices(log.warn, config.limits === MEMORY);
  const told: Opening = {
    created: both(notices.created, opening.created),
    migrated: both(notices.migrated, opening.migrated),
    lostLog: both(notices.lostLog, opening.lostLog),
    diskFull: both(notices.diskFull, opening.diskFull),
    access: config.databaseCreate === 'off' ? 'change' : 'create',
  };
  const server = { process: process.pid, host: hostname(), port: config.port };
  const storage = await openStorage(
    config.database,
    config.environment,
    { ...opening, ...notices, ...told, server },
    metrics.storage.observer,
  );
  return metrics.storage.timed(storage);
}

/** Tells the log and the terminal the same. */
function both<Told extends unknown[]>(...tell: (((...told: Told) => void) | undefined)[]) {
  return (...told: Told) => {
    for (const each of tell) each?.(...told);
  };
}

async function measureDatabase(storage: Storage): Promise<MeasuredDatabase> {
  const [measured, animals] = [await storage.space(), await storage.pets.count()];
  return { ...measured, animals, id: storage.id };
}

/** Creates the metrics of a service with this configuration. */
function startMetrics(
  config: Config,
  log: Log,
  serving: () => Serving['measured'] | undefined,
  measured: Omit<MeasuredProcess, 'build' | 'dropped'>,
): Metrics {
  const { engine } = databaseAddress(config.database);
  const build = {
    ...RELEASE,
    runtime: `bun ${Bun.version}`,
    environment: config.environment,
    storage: engine,
    limits: config.limits === MEMORY ? 'memory' : 'shared',
  };
  return createMetrics({
    operationIds: operations.map(({ id }) => id),
    engine,
    serving,
    process: { build, ...measured, dropped: log.dropped },
  });
}

/** Returns the OpenAPI document as text, for the configured deployments. */
export function openApiText(config: Config, rendering: 'json' | 'yaml'): Promise<string> {
  return documentText(rendering, documentServers(config));
}

const NOTICES: Readonly<Record<Obstacle, string>> = {
  moved: 'the database is fenced because it was moved: every request now gets 503',
  upgraded:
    'a later release has migrated the database: every request now gets 503; replace this server',
  replaced:
    'the database was replaced or removed while it was open: nothing is written any more, and every request now gets 503; restart this server when the right one is in its place',
};

/**
 * Watches whether this server may use the database; until the first refresh it may. If not, the content is stale, including
 * keys that were revoked since, so reads are refused too.
 */
function createFenceWatch(
  storage: Pick<Storage, 'obstacle'>,
  log: Pick<Log, 'warn' | 'info'>,
): Fence & { refresh(): Promise<void> } {
  const fence = {
    obstacle: undefined as Obstacle | undefined,
    isFenced: () => fence.obstacle !== undefined,
    /** Queries the database. If it is unavailable, the last result stays. */
    async refresh() {
      let found: Obstacle | undefined;
      try {
        found = await storage.obstacle();
      } catch (error) {
        if (isUnavailable(error)) return;
        throw error;
      }
      if (found === fence.obstacle) return;
      if (found !== undefined) log.warn(NOTICES[found]);
      else log.info('the database can be used again: requests are served again');
      fence.obstacle = found;
    },
  };
  return fence;
}
