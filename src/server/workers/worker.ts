import { parentPort } from 'node:worker_threads';
import { operations } from '../../api/resources/operations.ts';
import type { Limiter } from '../../domain/allowance.ts';
import { type Clock, systemClock } from '../../domain/clock.ts';
import type { ImportQueue } from '../../domain/import.ts';
import type { Obstacle, Storage } from '../../domain/storage.ts';
import { createThreadLimiter } from '../../limits/local.ts';
import { MEMORY } from '../../limits/open.ts';
import { createSlots } from '../../limits/slots.ts';
import { openPhotos } from '../../photos/photos.ts';
import type { Config } from '../../settings/config.ts';
import type { DatabaseAddress } from '../../storage/address.ts';
import { databaseAddress } from '../../storage/address.ts';
import { openStorage } from '../../storage/open.ts';
import { type Destination, type Log, openLog } from '../../telemetry/log.ts';
import { createMetrics, type Metrics } from '../../telemetry/metrics.ts';
import { snapshotOf } from '../../telemetry/snapshot.ts';
import { openConfiguredLimiter } from '../limiter.ts';
import { openListener } from '../listener.ts';
import type { Threads } from '../serving.ts';
import { redactionOf, startServing, type ThreadServing } from '../serving.ts';
import { createWebhookService } from '../webhooks.ts';
import type { MainCalls, StartMessage, WorkerCalls } from './calls.ts';
import { type Channel, openChannel } from './channel.ts';

/** Parts that a test may replace. */
export interface WorkerParts {
  readonly clock?: Clock;
}

/** A worker that serves, with what it has to close. */
interface ServingWorker {
  readonly serving: ThreadServing;
  readonly metrics: Metrics;
  close(): Promise<void>;
}

/** Makes this thread a worker: it serves once the main thread orders it to. */
export function startWorker(parts: WorkerParts = {}): void {
  if (parentPort === null) throw new Error('a worker must run in a thread of its own');
  let obstacle: Obstacle | undefined;
  let opening: Promise<ServingWorker> | undefined;
  /** Waits for a start under way. `serve` reports one that fails. */
  const serving = async () => opening?.catch(() => undefined);
  const main: Channel<MainCalls> = openChannel<WorkerCalls, MainCalls>(parentPort, {
    async serve(order) {
      obstacle = order.obstacle;
      opening = openWorker(order, main, () => obstacle, parts.clock);
      await opening;
    },
    setObstacle(now) {
      obstacle = now;
    },
    renew: async (certificate) => (await serving())?.serving.renew(certificate),
    announceEnd: async () => (await serving())?.serving.announceEnd(),
    end: async () => (await serving())?.close(),
    storeUsage: async () => (await serving())?.serving.storeUsage(),
    async metrics() {
      const worker = await serving();
      return worker === undefined ? [] : snapshotOf(worker.metrics.all());
    },
  });
}

async function openWorker(
  order: StartMessage,
  main: Channel<MainCalls>,
  obstacle: () => Obstacle | undefined,
  testClock: Clock | undefined,
): Promise<ServingWorker> {
  const { config } = order;
  const { engine } = databaseAddress(config.database);
  const output = createLineOutput((lines) => {
    main.tell('log', lines);
    main.move(lines.buffer);
  });
  const log = openLog(config.logLevel, output, redactionOf(config));
  let serving: ThreadServing | undefined;
  const metrics = createMetrics({
    operationIds: operations.map(({ id }) => id),
    engine,
    serving: () => serving?.measured,
  });
  await using opened = new AsyncDisposableStack();
  opened.defer(() => log.end());
  const storage = await openWorkerStorage(order, main, metrics);
  opened.defer(() => storage.close());
  const limiter = metrics.counted(await openWorkerLimiter(order, main, storage, log, testClock));
  opened.defer(() => limiter.close());
  const clock = testClock ?? systemClock;
  const webhooks = createWebhookService(config, clock);
  opened.defer(webhooks.close);
  const note = (keyId: bigint, requests: number) => main.tell('noteRequests', keyId, requests);
  const started = await startServing(config, {
    storage,
    limiter,
    log,
    clock,
    webhooks,
    imports: remoteImports(main),
    // The main thread decodes; this one reads.
    photos: openPhotos(config.photos, storage.photoFiles, clock),
    // The busiest keys are those of all threads together.
    metrics: { ...metrics, keys: { ...metrics.keys, note } },
    fence: { obstacle, isFenced: () => obstacle() !== undefined },
    threads: remoteThreads(main, engine),
    listen: () => openListener({ ...config, ...order, shared: true }),
  });
  opened.defer(() => started.end());
  serving = started;
  const all = opened.move();
  return { serving: started, metrics, close: () => all.disposeAsync() };
}

/**
 * Opens the storage of a worker. On SQLite the main thread makes all writes, so that those of all
 * workers share their commits; a worker reads over a connection of its own.
 */
async function openWorkerStorage(
  { config, connections }: StartMessage,
  main: Channel<MainCalls>,
  metrics: Metrics,
): Promise<Storage> {
  const { database, environment } = config;
  const opening = { access: 'read', fenced: true, connections } as const;
  const opened = await openStorage(database, environment, opening, metrics.storage.observer);
  const storage = metrics.storage.timed(opened);
  if (databaseAddress(database).engine !== 'sqlite') return storage;
  return remoteStorage(main, storage);
}

/** Opens the configured limiter. What this process counts by itself, it counts in memory of all threads. */
function openWorkerLimiter(
  { worker, config, limits }: StartMessage,
  main: Channel<MainCalls>,
  storage: Storage,
  log: Log,
  testClock: Clock | undefined,
): Limiter | Promise<Limiter> {
  const allocator = {
    slotOf: main.calling('slotOf'),
    // The main thread does this for all.
    flush: async () => {},
    report: main.calling('reportAllowances'),
  };
  const rules: Config = config;
  const slots = createSlots(limits.keys, worker);
  const local = createThreadLimiter(limits, slots, worker, allocator, rules);
  // The main thread has warned of what this may log.
  if (config.limits === MEMORY) return local;
  return openConfiguredLimiter(config, storage, log, { clock: testClock, local });
}

/** Characters that are collected before they are sent: about as many as one write takes. */
const BATCH_CHARACTERS = 65_536;
const encoder = new TextEncoder();

/**
 * Creates an output that collects whole lines, encodes them, and sends the bytes together. The
 * receiver may take over their memory.
 */
function createLineOutput(
  send: (lines: Uint8Array<ArrayBuffer>) => void,
): Pick<Destination, 'write' | 'flush' | 'end'> {
  let lines = '';

  function flush(): void {
    if (lines !== '') send(encoder.encode(lines));
    lines = '';
  }

  return {
    flush,
    write(line) {
      lines += line;
      if (lines.length >= BATCH_CHARACTERS) flush();
    },
    async end() {
      flush();
    },
  };
}

/**
 * What a worker leaves to the main thread: on SQLite all writes, so that those of all workers share
 * their commits, and on any engine what a process bounds or has once.
 */
function remoteThreads(main: Channel<MainCalls>, engine: DatabaseAddress['engine']): Threads {
  return {
    routeWrites: (here) => (operation, request) =>
      engine === 'sqlite' || operation.oncePerProcess
        ? main.call('write', operation.id, request)
        : here(operation, request),
    uploadFiles: {
      open: (sender) => main.calling('openUpload')(sender),
      free: (descriptor) => main.tell('freeUpload', descriptor),
      isContested: main.calling('isUploadContested'),
      close: (descriptor) => main.tell('closeUpload', descriptor),
    },
    signIns: {
      signIn: main.calling('signIn'),
      acceptInvitation: main.calling('acceptInvitation'),
      changePassword: main.calling('changePassword'),
    },
    storeUsage: main.calling('storeUsage'),
  };
}

/** Returns a storage that reads on this thread, and leaves what serving writes to the main thread. */
function remoteStorage(main: Channel<MainCalls>, storage: Storage): Storage {
  return {
    ...storage,
    keys: { ...storage.keys, recordUse: main.calling('recordUse') },
    usage: { ...storage.usage, add: main.calling('addUsage') },
    enquiries: { ...storage.enquiries, receive: main.calling('receiveEnquiry') },
    shop: { ...storage.shop, formSecret: main.calling('formSecret') },
    sessions: {
      ...storage.sessions,
      create: main.calling('startSession'),
      remove: main.calling('endSession'),
      recordUse: main.calling('recordSessionUse'),
    },
  };
}

/** The main thread has the imports. A worker only gives back the files that it does not forward. */
function remoteImports(main: Channel<MainCalls>): ImportQueue {
  return {
    owner: '',
    requireRoom: onMainThread,
    start: onMainThread,
    discard: ({ descriptor }) => main.tell('closeUpload', descriptor),
  };
}

function onMainThread(): never {
  throw new Error('imports run on the main thread');
}
