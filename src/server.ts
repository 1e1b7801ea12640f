import packageFacts from '../package.json' with { type: 'json' };
import { createResponseCache, type ResponseCache } from './api/cache/response-cache.ts';
import { piiFields } from './api/contract/pii.ts';
import { documentPages, documentText } from './api/openapi/pages.ts';
import { documentServers } from './api/openapi/servers.ts';
import { createFenceWatch } from './api/pipeline/fence-watch.ts';
import { createKeyCache } from './api/pipeline/key-cache.ts';
import { createPipeline, type Pipeline, type PipelineParts } from './api/pipeline/pipeline.ts';
import { operations } from './api/resources/operations.ts';
import { readCertificate } from './certificate.ts';
import { createFeed, type RunningFeed } from './changes/feed.ts';
import { createLagWatch } from './changes/lag-watch.ts';
import { type Config, passwordsOf } from './config.ts';
import { openConfiguredLimiter } from './configured-limiter.ts';
import type { Limiter } from './domain/allowance.ts';
import type { ChangeFeed } from './domain/change-feed.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import type { Storage } from './domain/storage.ts';
import { type AwaitedBodies, createAwaitedBodies } from './http/awaited-bodies.ts';
import { createTrustedProxies } from './http/client-address.ts';
import { createCors } from './http/cors.ts';
import { MEMORY } from './limits/open.ts';
import { type Listener, type ListenerOptions, openListener, type Socket } from './listener.ts';
import { startMaintenance } from './maintenance.ts';
import { metricsUrl, openOperationsPort } from './operations-port.ts';
import { type RunningLoadShedder, startLoadShedder } from './overload/load-shedder.ts';
import type { QueueDelay } from './overload/queue-delay.ts';
import { createHealth } from './site/health.ts';
import { createSite, type Page, type Pages } from './site/site.ts';
import { databaseAddress } from './storage/address.ts';
import { openStorage } from './storage/open.ts';
import { type Opening, servingNotices } from './storage/opening.ts';
import { type Log, openLog } from './telemetry/log.ts';
import { createMetrics, type Measured, type Metrics } from './telemetry/metrics.ts';
import { createRedaction, type Redact } from './telemetry/redaction.ts';
import { countRequests } from './telemetry/request-counts.ts';
import { sampleRequests } from './telemetry/sampling.ts';

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
  /** Stops accepting, finishes requests in progress and writes the remaining counts. */
  close(): Promise<void>;
  /** For a process that exits at once: drops unwritten lines of the log. */
  abandon(): void;
}

/** Parts that a test may replace. */
export interface ServerParts {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly limiter?: Limiter;
  readonly queueDelay?: QueueDelay;
  readonly cache?: ResponseCache;
}

/**
 * Opens the service: the only place that wires its parts together. Throws `UnusableCertificate`,
 * `UnusableDatabase`, or the runtime's error for an address it cannot bind.
 */
export async function openServer(
  config: Config,
  parts: ServerParts = {},
  opening: Pick<Opening, 'created'> = {},
): Promise<PetstoreServer> {
  const clock = parts.clock ?? systemClock;
  const log = parts.log ?? openLog(config.logLevel, undefined, redactionOf(config));
  const certificate = await readCertificate(config, clock.now());
  const metrics = startMetrics(config, log, {
    pending: () => listener.pending(),
    refused: () => load.report(),
    delays: () => load.delays,
    changes: { waits: () => feed.report(), lag: () => lag.last() },
  });
  // Closes what is open if a later part cannot be opened.
  await using opened = new AsyncDisposableStack();
  const storage = await openTimedStorage(config, metrics, log, opening);
  opened.defer(() => storage.close());
  const limiter = metrics.counted(
    parts.limiter ?? (await openConfiguredLimiter(config, storage, log, parts.clock)),
  );
  opened.defer(() => limiter.close());
  const bodies = createAwaitedBodies({ timeoutMs: config.bodyTimeoutMs });
  const feed = createFeed(storage.changes, config.maxWaiting);
  const lag = createLagWatch(storage.changes);
  const load = await startShedder(config, bodies, feed, log, parts.queueDelay);
  opened.defer(() => load.end());
  const { listener, operationsSocket } = await listen({ ...config, certificate }, metrics, log);
  const keys = createKeyCache(storage.keys, clock);
  const fence = createFenceWatch(storage, log);
  let draining = false;
  const isDraining = () => draining;

  // Links need the address, which is only known once the socket is bound.
  const baseUrl = configuredBaseUrl(config) ?? `${listener.url}/v1`;
  const serving = { storage, feed, keys, limiter, fence, bodies, load, clock, baseUrl, isDraining };
  listener.serve(pipelineOf(config, { ...serving, listener, metrics, log, cache: parts.cache }));
  const maintenance = startMaintenance({ ...config, ...serving, lag, log });
  opened.defer(() => maintenance.end());
  const running = opened.move();

  async function close(): Promise<void> {
    draining = true;
    await Bun.sleep(config.shutdownDelayMs);
    // Not before: a client that got an empty response would ask again at once.
    feed.end();
    await listener.drain();
    await running.disposeAsync();
    // The metrics stay reachable during the shutdown.
    await operationsSocket?.stop(true);
    await log.end();
  }

  return {
    url: listener.url,
    baseUrl,
    metricsUrl: operationsSocket && metricsUrl(config, operationsSocket),
    renewCertificate: () => renewCertificate(config, clock, listener, log),
    close,
    abandon: log.abandon,
  };
}

/** What the pipeline needs and the server has opened. */
interface Opened extends Pick<PipelineParts, 'keys' | 'limiter' | 'fence' | 'bodies' | 'load'> {
  readonly storage: Storage;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly listener: Listener;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly cache: ResponseCache | undefined;
  isDraining(): boolean;
}

/** Creates the pipeline of the service. */
function pipelineOf(config: Config, opened: Opened): Pipeline {
  const { storage, feed, limiter, fence, clock, baseUrl, metrics, log, isDraining } = opened;
  return createPipeline({
    ...opened,
    operations,
    services: { storage, feed, clock, baseUrl, environment: config.environment, limiter },
    idempotency: storage.idempotency,
    cache: opened.cache ?? createResponseCache(storage, metrics.cacheLookups),
    environment: config.environment,
    peerOf: opened.listener.peerOf,
    keepOpen: opened.listener.keepOpen,
    proxies: createTrustedProxies(config.trustedProxies),
    site: createSite(
      pagesOnce(config, baseUrl),
      createHealth({ storage, limiter, log, isDraining, isFenced: fence.isFenced }),
    ),
    cors: createCors(config.corsOrigins),
    log: countRequests(metrics.requests, sampleRequests(log, config.logSample)),
  });
}

/** Starts the load shedder. Requests that wait for a body or for events are no load. */
function startShedder(
  config: Config,
  bodies: AwaitedBodies,
  feed: RunningFeed,
  log: Log,
  queueDelay: QueueDelay | undefined,
): Promise<RunningLoadShedder> {
  const readsWait = databaseAddress(config.database).engine !== 'sqlite';
  const waiting = () => feed.report().waiting;
  return startLoadShedder({ ...config, readsWait }, bodies, log, waiting, queueDelay);
}

/** Reads the TLS certificate again. If that fails, the old one stays. */
async function renewCertificate(
  config: Config,
  clock: Clock,
  listener: Listener,
  log: Log,
): Promise<void> {
  try {
    const renewed = await readCertificate(config, clock.now());
    if (renewed === undefined) {
      log.info('SIGHUP changes nothing: no TLS certificate is set');
      return;
    }
    await listener.renew(renewed);
    const facts = { file: config.tlsCert, endsAt: new Date(renewed.endsAt) };
    log.info('the TLS certificate was read again; new connections use it', facts);
  } catch (error) {
    log.error('the TLS certificate stays what it was', error);
  }
}

function configuredBaseUrl({ environment, baseUrl, stagingBaseUrl }: Config): string | undefined {
  return environment === 'production' ? baseUrl : stagingBaseUrl;
}

/** Opens the storage; the metrics time its calls. Throws `UnusableDatabase`. */
async function openTimedStorage(
  config: Config,
  metrics: Metrics,
  log: Log,
  opening: Pick<Opening, 'created'>,
): Promise<Storage> {
  const storage = await openStorage(
    config.database,
    config.environment,
    { ...opening, ...servingNotices(log.warn, config.limits === MEMORY) },
    metrics.storage.observer,
  );
  return metrics.storage.timed(storage);
}

/** Returns the function that makes the pages at its first call. */
function pagesOnce(config: Config, baseUrl: string): () => Promise<Pages> {
  let pages: Promise<Pages> | undefined;
  return () => (pages ??= makePages(config, baseUrl));
}

/** Loads the modules of the pages only when needed, so that the first API request does not wait. */
async function makePages(config: Config, baseUrl: string): Promise<Pages> {
  const { createPages } = await import('./site/pages.ts');
  const pages = createPages(baseUrl, [config.baseUrl, config.stagingBaseUrl]);
  const documents = documentPages(documentServers(config, baseUrl));
  return new Map<string, Page>([...pages, ...documents]);
}

/** Creates the metrics of a service with this configuration. */
function startMetrics(
  config: Config,
  log: Log,
  serving: Pick<Measured, 'pending' | 'refused' | 'delays' | 'changes'>,
): Metrics {
  const { engine } = databaseAddress(config.database);
  return createMetrics({
    operationIds: operations.map(({ id }) => id),
    engine,
    build: {
      version: packageFacts.version,
      runtime: `bun ${Bun.version}`,
      environment: config.environment,
      storage: engine,
      limits: config.limits === MEMORY ? 'memory' : 'shared',
    },
    ...serving,
    dropped: log.dropped,
  });
}

/** The bound sockets: the API and, if it is on, the operations port. */
interface Sockets {
  readonly listener: Listener;
  readonly operationsSocket: Socket | undefined;
}

/** Binds both addresses, or none. Requests get 503 until `serve`. */
async function listen(
  config: Config & ListenerOptions,
  metrics: Metrics,
  log: Log,
): Promise<Sockets> {
  let operationsSocket: Socket | undefined;
  try {
    operationsSocket = openOperationsPort(config, metrics, log);
    return { listener: await openListener(config), operationsSocket };
  } catch (error) {
    await operationsSocket?.stop(true);
    throw error;
  }
}

/** Creates the redaction of the log: PII fields of the schemas and passwords of the settings. */
export function redactionOf(config: Config): Redact {
  return createRedaction({ fields: piiFields(operations), texts: passwordsOf(config) });
}

/** Returns the OpenAPI document as text, for the configured deployments. */
export function openApiText(config: Config, rendering: 'json' | 'yaml'): Promise<string> {
  return documentText(rendering, documentServers(config));
}
