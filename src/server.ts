import { createKeyDirectory } from './api/key-directory.ts';
import { documentPages, documentText } from './api/openapi/pages.ts';
import { documentServers } from './api/openapi/servers.ts';
import { operations } from './api/operations.ts';
import { createPipeline } from './api/pipeline.ts';
import { createSite, type Page } from './api/site.ts';
import type { Config } from './config.ts';
import type { Limiter } from './domain/allowance.ts';
import { type Clock, MINUTE_MS, SECOND_MS, systemClock } from './domain/clock.ts';
import { RESULT_KEPT_MS } from './domain/idempotency.ts';
import { createTrustedProxies } from './http/client-address.ts';
import { createCors } from './http/cors.ts';
import { openLimiter } from './limits/open.ts';
import { openStorage } from './storage/open.ts';
import { type Log, openLog } from './telemetry/log.ts';
import { createPages } from './web/pages.ts';

/** A running service. */
export interface PetstoreServer {
  /** Its root address as really bound, without a path: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The base address of the interface, ending in `/v1`. */
  readonly baseUrl: string;
  /** Stops accepting, finishes what is under way and writes what is owed. */
  close(): Promise<void>;
}

/** What a test may put in place of the real thing. */
export interface ServerParts {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly limiter?: Limiter;
}

/** Idle and slow connections are closed after this; the runtime counts in steps of 4 s. */
const IDLE_TIMEOUT_S = 10;
/** How long requests under way may take to finish at the end. */
const DRAIN_MS = 10 * SECOND_MS;
/** How often counts and times of last use are written down: what a kill may forget. */
const FLUSH_MS = SECOND_MS;

/**
 * The runtime answers a body over its bound by itself and without a body. So the bound stands
 * where nobody meets it, and reading stops at our own: see http/body.ts.
 */
const RUNTIME_BODY_BYTES_MAX = 2 ** 40;

/**
 * Opens the service: the one place where its parts are put together, and the only caller of
 * `Bun.serve`. Throws `UnusableDatabase`, or the runtime's error for an address it cannot bind.
 */
export async function openServer(config: Config, parts: ServerParts = {}): Promise<PetstoreServer> {
  const clock = parts.clock ?? systemClock;
  const log = parts.log ?? openLog(config.logLevel);
  const storage = await openStorage(config.database, config.environment);
  const keys = createKeyDirectory(storage.keys, clock);
  const limiter = parts.limiter ?? openLimiter(storage.allowances, config);
  let draining = false;
  const isDraining = () => draining;

  // The address is known once the socket is bound, and links are built from it.
  const socket = Bun.serve({
    hostname: config.host,
    port: config.port,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
    development: false,
    // With `development: false` the runtime would share a port that is taken already.
    reusePort: false,
    fetch: () => new Response(null, { status: 503 }),
  });
  const url = addressOf(config.host, socket.port);
  const ownBaseUrl = config.environment === 'production' ? config.baseUrl : config.stagingBaseUrl;
  const baseUrl = ownBaseUrl ?? `${url}/v1`;
  const pages = createPages(baseUrl, [config.baseUrl, config.stagingBaseUrl]);
  const documents = documentPages(documentServers(config, baseUrl));
  const serve = createPipeline({
    operations,
    services: { storage, clock, baseUrl },
    clock,
    baseUrl,
    idempotency: storage.idempotency,
    recordsVersion: storage.recordsVersion,
    environment: config.environment,
    keys,
    limiter,
    proxies: createTrustedProxies(config.trustedProxies),
    site: createSite(new Map<string, Page>([...pages, ...documents]), storage, isDraining),
    cors: createCors(config.corsOrigins),
    log,
    isDraining,
  });
  const peerOf = (request: Request) => socket.requestIP(request)?.address ?? '';
  socket.reload({ fetch: (request) => serve(request, () => peerOf(request)) });

  async function writeBack(): Promise<void> {
    try {
      await keys.flush();
      await limiter.flush();
    } catch (error) {
      log.error('could not write counts and times of last use; trying again', error);
    }
  }
  const writing = setInterval(writeBack, FLUSH_MS);

  async function sweep(): Promise<void> {
    try {
      await storage.idempotency.sweep(clock.now() - RESULT_KEPT_MS);
    } catch (error) {
      log.error('could not remove results that are kept no longer; trying again', error);
    }
  }
  const sweeping = setInterval(sweep, MINUTE_MS);

  async function close(): Promise<void> {
    draining = true;
    await Bun.sleep(config.shutdownDelayMs);
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(late.resolve, DRAIN_MS, 'late');
    const finished = await Promise.race([socket.stop(), late.promise]);
    clearTimeout(timer);
    if (finished === 'late') await socket.stop(true);
    clearInterval(writing);
    clearInterval(sweeping);
    await writeBack();
    await storage.close();
    log.flush();
  }

  return { url, baseUrl, close };
}

/** The OpenAPI document of the service as text, for the deployments that are configured. */
export function openApiText(config: Config, rendering: 'json' | 'yaml'): Promise<string> {
  return documentText(rendering, documentServers(config));
}

function addressOf(host: string, port: number | undefined): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
