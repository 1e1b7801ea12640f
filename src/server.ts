import { createHealth } from './api/health.ts';
import { createKeyDirectory, type KeyDirectory } from './api/key-directory.ts';
import { documentPages, documentText } from './api/openapi/pages.ts';
import { documentServers } from './api/openapi/servers.ts';
import { operations } from './api/operations.ts';
import { createPipeline } from './api/pipeline.ts';
import { createSite, type Page } from './api/site.ts';
import type { Config } from './config.ts';
import type { Allowance, Limiter } from './domain/allowance.ts';
import { type Clock, MINUTE_MS, SECOND_MS, systemClock } from './domain/clock.ts';
import { RESULT_KEPT_MS } from './domain/idempotency.ts';
import type { Later } from './domain/later.ts';
import type { Storage } from './domain/storage.ts';
import { createTrustedProxies } from './http/client-address.ts';
import { createCors } from './http/cors.ts';
import { MEMORY, openLimiter } from './limits/open.ts';
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
  const limiter = parts.limiter ?? (await openLimiterOf(config, storage, log, parts.clock));
  const socket = await listen(config, async () => {
    await limiter.close();
    await storage.close();
  });
  const keys = createKeyDirectory(storage.keys, clock);
  let draining = false;
  const isDraining = () => draining;

  // The address is known once the socket is bound, and links are built from it.
  const url = addressOf(config.host, socket.port);
  const baseUrl = configuredBaseUrl(config) ?? `${url}/v1`;
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
    site: createSite(
      new Map<string, Page>([...pages, ...documents]),
      createHealth({ storage, limiter, log, isDraining }),
    ),
    cors: createCors(config.corsOrigins),
    log,
    isDraining,
  });
  const peerOf = (request: Request) => socket.requestIP(request)?.address ?? '';
  socket.reload({ fetch: (request) => serve(request, () => peerOf(request)) });
  const upkeep = startUpkeep({ keys, limiter, storage, clock, log });

  async function close(): Promise<void> {
    draining = true;
    await Bun.sleep(config.shutdownDelayMs);
    await drain(socket);
    await upkeep.end();
    await limiter.close();
    await storage.close();
    log.flush();
  }

  return { url, baseUrl, close };
}

function configuredBaseUrl({ environment, baseUrl, stagingBaseUrl }: Config): string | undefined {
  return environment === 'production' ? baseUrl : stagingBaseUrl;
}

type Socket = Bun.Server<undefined>;

/** Binds the address, or undoes what was opened; until the pipeline is there, it is not ready. */
async function listen({ host, port }: Config, undo: () => Promise<void>): Promise<Socket> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
      development: false,
      // With `development: false` the runtime would share a port that is taken already.
      reusePort: false,
      fetch: () => new Response(null, { status: 503 }),
    });
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Stops accepting and waits for what is under way, but not for ever. */
async function drain(socket: Socket): Promise<void> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(late.resolve, DRAIN_MS, 'late');
  const finished = await Promise.race([socket.stop(), late.promise]);
  clearTimeout(timer);
  if (finished === 'late') await socket.stop(true);
}

/** The limiter that is configured. A clock that a test sets decides, else the engine's own. */
function openLimiterOf(config: Config, storage: Storage, log: Log, clock?: Clock): Later<Limiter> {
  if (config.limits === MEMORY && config.database.startsWith('postgres')) {
    log.warn('limits are counted by each instance alone: set PETSTORE_LIMITS where there are many');
  }
  return openLimiter({
    address: config.limits,
    environment: config.environment,
    storage: storage.allowances,
    rules: config,
    time: clock === undefined ? 'of the engine' : 'as asked',
    log,
  });
}

/** What was counted of these keys, wherever the servers of this configuration count. */
export async function readAllowances(
  config: Config,
  storage: Storage,
  keyIds: readonly bigint[],
): Promise<readonly Allowance[]> {
  const limiter = await openLimiterOf(config, storage, openLog('silent'));
  try {
    return await limiter.report(keyIds);
  } finally {
    await limiter.close();
  }
}

/** What is done now and then while the service runs. */
interface UpkeepParts {
  readonly keys: KeyDirectory;
  readonly limiter: Limiter;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts the upkeep. `end` stops it and writes down what is owed. */
function startUpkeep({ keys, limiter, storage, clock, log }: UpkeepParts): {
  end(): Promise<void>;
} {
  /** One that fails is tried again at its next turn. */
  async function attempt(what: string, work: () => Later<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error(`could not ${what}; trying again`, error);
    }
  }
  async function writeBack(): Promise<void> {
    await attempt('write down when keys were used', keys.flush);
    await attempt('write down counts of requests', limiter.flush);
  }
  const sweep = () =>
    attempt('remove results that are kept no longer', () =>
      storage.idempotency.sweep(clock.now() - RESULT_KEPT_MS),
    );
  const timers = [setInterval(oneAtATime(writeBack), FLUSH_MS), setInterval(sweep, MINUTE_MS)];

  return {
    async end() {
      for (const timer of timers) clearInterval(timer);
      await writeBack();
    },
  };
}

/** Leaves a turn out while the one before still waits for the database. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let underWay = false;
  return async () => {
    if (underWay) return;
    underWay = true;
    await work();
    underWay = false;
  };
}

/** The OpenAPI document of the service as text, for the deployments that are configured. */
export function openApiText(config: Config, rendering: 'json' | 'yaml'): Promise<string> {
  return documentText(rendering, documentServers(config));
}

function addressOf(host: string, port: number | undefined): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
