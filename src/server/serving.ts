import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { PageSources } from '../adopt/served.ts';
import { createResponseCache, type ResponseCache } from '../api/cache/response-cache.ts';
import { createFacets } from '../api/cache/shared-facets.ts';
import { EXPOSED_HEADERS } from '../api/contract/headers.ts';
import { piiFields } from '../api/contract/pii.ts';
import { documentPages, documentServers } from '../api/openapi/pages.ts';
import { createRequestsInProgress } from '../api/pipeline/admission.ts';
import { createAlertForm } from '../api/pipeline/alert-form.ts';
import { createEnquiryForm } from '../api/pipeline/enquiry-form.ts';
import { createPipeline } from '../api/pipeline/pipeline.ts';
import { createFormReader } from '../api/pipeline/public-forms.ts';
import { createWrites } from '../api/pipeline/writes.ts';
import { operations } from '../api/resources/operations.ts';
import { createKeyCache } from '../auth/credential-cache.ts';
import { createSessionCache } from '../auth/session-cache.ts';
import { createSignIns } from '../auth/sign-ins.ts';
import type { Limiter } from '../domain/allowance.ts';
import type { ChannelService } from '../domain/channel.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { createFormSigning } from '../domain/form-signing.ts';
import type { ImportQueue } from '../domain/import-queue.ts';
import type { PhotoService } from '../domain/photo.ts';
import type { Fence, Storage } from '../domain/storage.ts';
import type { WebhookService } from '../domain/webhook.ts';
import { createFeed } from '../events/feed.ts';
import { type AwaitedBodies, createAwaitedBodies } from '../http/awaited-bodies.ts';
import { createCors } from '../http/cors.ts';
import { createPageOrigins, type PageOrigins } from '../http/page-origin.ts';
import { createTrustedProxies } from '../http/trusted-proxies.ts';
import { createUploads } from '../http/upload.ts';
import { createUsageCounter } from '../limits/usage-counter.ts';
import { type Config, passwordsOf } from '../settings/config.ts';
import { RELEASE } from '../settings/release.ts';
import { createHealth } from '../site/health.ts';
import { createSite, type Page, type Pages } from '../site/site.ts';
import { databaseAddress } from '../storage/address.ts';
import { type Log, type RequestRecord, sampleRequests } from '../telemetry/log.ts';
import type { MeasuredServing, Metrics } from '../telemetry/metrics.ts';
import { measureEventLoopLag } from '../telemetry/process-metrics.ts';
import { createRedaction, type Redact } from '../telemetry/redaction.ts';
import { countRequests } from '../telemetry/request-counts.ts';
import { sendsMails } from './background.ts';
import type { Certificate } from './certificate.ts';
import type { Listener } from './listener.ts';
import { startServingMaintenance } from './maintenance.ts';

/** Operations with these tags change who may do what, or what the public sees. */
const TAGS: readonly string[] = ['Keys', 'People', 'Webhooks', 'Shop'];
const CHANGES: ReadonlySet<string | undefined> = new Set(
  operations
    .filter(({ method, tag }) => method !== 'GET' && TAGS.includes(tag))
    .map(({ id }) => id),
);

/**
 * Returns whether a request is always logged, even in a sample: sign-ins and other changes of sessions, changes of access
 * and of the shop, and the refusal that starts a ban.
 */
function isSecurityEvent({ operation, path, method, setsBan }: RequestRecord): boolean {
  const isConsole = path.startsWith('"/console/') && method !== 'GET';
  return CHANGES.has(operation) || isConsole || setsBan === true;
}

/** Bodies of sign-ins that may arrive at once, from an address and in all. */
const SIGN_INS = { maxPerSender: 50, maxInAll: 500 };

/** How often readiness is checked for the metrics, even if nobody asks. */
const READY_EVERY_MS = 15 * SECOND_MS;

/** What serving needs from the process around it. */
interface ServingParts {
  readonly storage: Storage;
  readonly limiter: Limiter;
  readonly imports: ImportQueue;
  readonly photos: PhotoService;
  readonly fence: Fence;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly channels: ChannelService;
  readonly webhooks: WebhookService;
  readonly cache?: ResponseCache | undefined;
  /** Binds the address. Called once everything else is ready. */
  listen(): Promise<Listener>;
}

/** Requests being served. */
export interface Serving {
  /** The root address as actually bound, without a path. */
  readonly url: string;
  /** The base address of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** Whether the last check of readiness passed; undefined before the first. */
  wasReady(): boolean | undefined;
  readonly measured: MeasuredServing;
  /** Uses this certificate for new connections. */
  renew(certificate: Certificate): Promise<void>;
  /** Tells load balancers that the service is about to stop. */
  announceEnd(): void;
  /** Stops accepting, finishes requests in progress and writes back what was counted. */
  end(): Promise<void>;
}

/** Starts to serve requests. Throws the runtime's error for an unusable address. */
export async function startServing(config: Config, parts: ServingParts): Promise<Serving> {
  const { storage, clock, log, metrics, fence } = parts;
  const incoming = createIncoming(config, parts);
  const { bodies, strangerBodies } = incoming;
  const feed = createFeed(storage.changes, config.maxWaiting);
  const waiting = () => feed.report().waiting + incoming.count();
  const readsWait = databaseAddress(config.database).engine !== 'sqlite';
  const inProgress = createRequestsInProgress({ ...config, readsWait }, bodies, waiting);
  const listener = await parts.listen();
  const lag = measureEventLoopLag();
  const keys = createKeyCache(storage.keys, clock);
  const sessions = createSessionCache(storage.sessions, clock);
  const proxies = createTrustedProxies(config.trustedProxies);
  const usage = createUsageCounter(storage.usage, metrics.keys.note);
  // Links need the address, which is only known once the socket is bound.
  const { url, peerOf, isEnding: isDraining } = listener;
  const configuredUrl = configuredBaseUrl(config);
  const baseUrl = configuredUrl ?? `${url}/v1`;
  const loadPages = once(() => makePages(config, baseUrl));
  const { environment, maxCategories } = config;
  const pagesRoot = config.adopt === 'on' ? baseUrl.replace(/\/v1$/, '') : null;
  const countFacets = createFacets(storage);
  const own = { feed, baseUrl, pagesRoot, environment, maxCategories, usage, countFacets };
  const services = { ...parts, ...own };
  const health = createHealth({ ...parts, release: RELEASE, isDraining });
  const origins = createPageOrigins({ url, configuredUrl, proxies, peerOf });
  const pipeline = createPipeline({
    ...parts,
    ...own,
    ...incoming,
    ...{ inProgress, keys, sessions, usage, operations, services },
    proxies,
    executeWrite: createWrites(services, storage),
    cache: parts.cache ?? createResponseCache(storage, metrics.cacheLookups, clock),
    ...listener,
    origins,
    site: createSite({ loadPages, loadConsole: once(makeConsole) }, health),
    ...createForms(config, { ...parts, bodies: strangerBodies, origins }),
    loadPublicPages: publicPagesOf(
      { ...config, storage, baseUrl, countFacets, takesAlerts: sendsMails(config) },
      pagesRoot,
    ),
    cors: createCors(config.corsOrigins, EXPOSED_HEADERS),
    log: countRequests(metrics.requests, sampleRequests(log, config.logSample, isSecurityEvent)),
  });
  listener.serve(pipeline);
  const checking = setInterval(() => void health.ready(), READY_EVERY_MS);
  const maintenance = startServingMaintenance({ keys, sessions, usage, fence, inProgress, log });

  return {
    url,
    baseUrl,
    wasReady: health.wasReady,
    measured: {
      pending: listener.pending,
      refused: inProgress.report,
      lags: () => lag.lags,
      waits: feed.report,
    },
    renew: listener.renew,
    announceEnd: listener.announceEnd,
    async end() {
      // Not before: a client that got an empty response would ask again at once.
      clearInterval(checking);
      feed.end();
      await listener.drain();
      lag.end();
      await maintenance.end();
    },
  };
}

/** Creates what receives bodies, of requests, of sign-ins and of uploads, and what checks sign-ins. */
function createIncoming(config: Config, { storage, clock }: ServingParts) {
  const timeoutMs = config.bodyTimeoutMs;
  const uploads = () => createUploads({ directory: uploadFolder(config), stallMs: timeoutMs });
  const [photos, imports] = [uploads(), uploads()];
  const signInBodies = createAwaitedBodies({ timeoutMs, ...SIGN_INS });
  // Apart, so that slow forms of visitors never keep staff in the same network from signing in.
  const strangerBodies = createAwaitedBodies({ timeoutMs, ...SIGN_INS });
  const others = [photos, imports, signInBodies, strangerBodies];
  return {
    bodies: createAwaitedBodies({ timeoutMs }),
    signInBodies,
    strangerBodies,
    signIns: createSignIns(storage.people, clock),
    people: storage.people,
    uploads: { photos, imports },
    /** Bodies besides those of requests for operations. */
    count: () => others.reduce((sum, bodies) => sum + bodies.count(), 0),
  };
}

/** Creates the forms of the public pages. */
function createForms(
  config: Config,
  {
    storage,
    clock,
    bodies,
    origins,
  }: ServingParts & { bodies: AwaitedBodies; origins: PageOrigins },
) {
  const read = createFormReader(bodies);
  const shared = { read, storage, clock, origins, signing: createFormSigning(storage.shop) };
  const sends = sendsMails(config);
  return {
    enquiryForm: createEnquiryForm({ ...config, ...shared, sendsMails: sends }),
    alertForm: sends ? createAlertForm(shared) : undefined,
  };
}

/** Creates the redaction of the log: PII fields of the schemas and passwords of the settings. */
export function redactionOf(config: Config): Redact {
  return createRedaction({ fields: piiFields(operations), texts: passwordsOf(config) });
}

/** Returns the configured base address; by default it follows from the bound address. */
function configuredBaseUrl(config: Config): string | undefined {
  const { environment, baseUrl, stagingBaseUrl } = config;
  return environment === 'production' ? baseUrl : stagingBaseUrl;
}

/**
 * Returns the folder for files that requests send: beside the database, where there is room for data,
 * or the temporary folder if the database is on another machine.
 */
function uploadFolder({ database }: Pick<Config, 'database'>): string {
  const address = databaseAddress(database);
  return address.engine === 'sqlite' ? dirname(address.path) : tmpdir();
}

/** Returns a function that makes pages at its first call, and again if that failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let pages: Promise<T> | undefined;
  return () => {
    pages ??= make().catch((error) => {
      pages = undefined;
      throw error;
    });
    return pages;
  };
}

/** Loads the modules of the pages only when needed, so that the first API request does not wait. */
async function makePages(config: Config, baseUrl: string): Promise<Pages> {
  const { createPages } = await import('../site/pages.ts');
  const pages = createPages(
    baseUrl,
    [config.baseUrl, config.stagingBaseUrl],
    config.adopt === 'on',
    config.home,
  );
  const documents = documentPages(documentServers(config, baseUrl));
  return new Map<string, Page>([...pages, ...documents]);
}

/** Returns what loads the public pages; undefined if they are turned off. */
function publicPagesOf(
  sources: Omit<PageSources, 'pagesRoot' | 'takesEnquiries'>,
  pagesRoot: string | null,
) {
  if (pagesRoot === null) return undefined;
  return once(async () => {
    const { createPublicPages } = await import('../adopt/pages.ts');
    return createPublicPages({ ...sources, pagesRoot, takesEnquiries: true });
  });
}

/** Loads and builds the console only when somebody opens it. */
async function makeConsole(): Promise<Pages> {
  const { createConsole } = await import('../site/console/console.ts');
  return createConsole();
}
