import { parentPort } from 'node:worker_threads';
import { operations } from '../api/resources/operations.ts';
import type { Config } from '../config.ts';
import { openConfiguredLimiter } from '../configured-limiter.ts';
import { createSending } from '../delivery.ts';
import type { Limiter } from '../domain/allowance.ts';
import { type Clock, SECOND_MS, systemClock } from '../domain/clock.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import type { Storage } from '../domain/storage.ts';
import { MEMORY } from '../limits/open.ts';
import { createThreadLimiter } from '../limits/shared-memory/limiter.ts';
import { createSlots } from '../limits/shared-memory/slots.ts';
import { openListener } from '../listener.ts';
import { redactionOf, startServing, type ThreadServing } from '../serving.ts';
import { databaseAddress } from '../storage/address.ts';
import { openStorage } from '../storage/open.ts';
import { type Log, openLog } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { loadPino } from '../telemetry/pino.ts';
import { snapshotOf } from '../telemetry/snapshot.ts';
import type { MainCalls, ServeOrder, WorkerCalls } from './calls.ts';
import { type Channel, openChannel } from './channel.ts';
import { importsBehind, threadsBehind, writingBehind } from './forwarding.ts';
import { createLineOutput } from './line-output.ts';

/** Pino is loaded a moment after the start, which should not wait for it. */
const PINO_MS = SECOND_MS;

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
  let isFenced = false;
  let opening: Promise<ServingWorker> | undefined;
  /** Waits for a start under way. `serve` reports one that fails. */
  const serving = async () => opening?.catch(() => undefined);
  const main: Channel<MainCalls> = openChannel<WorkerCalls, MainCalls>(parentPort, {
    async serve(order) {
      isFenced = order.isFenced;
      opening = openWorker(order, main, () => isFenced, parts.clock);
      await opening;
    },
    setFenced(now) {
      isFenced = now;
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
  order: ServeOrder,
  main: Channel<MainCalls>,
  isFenced: () => boolean,
  testClock: Clock | undefined,
): Promise<ServingWorker> {
  const { config } = order;
  const { engine } = databaseAddress(config.database);
  const output = createLineOutput((lines) => main.tell('log', lines, lines.buffer));
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
  const webhooks = createSending(config, clock);
  opened.defer(webhooks.close);
  const note = (keyId: bigint, requests: number) => main.tell('noteRequests', [keyId, requests]);
  const started = await startServing(config, {
    ...{ storage, limiter, log, clock, webhooks, imports: importsBehind(main) },
    // The busiest keys are those of all threads together.
    metrics: { ...metrics, keys: { ...metrics.keys, note } },
    fence: { isFenced },
    threads: threadsBehind(main, engine),
    listen: () => openListener({ ...config, ...order, shared: true }),
  });
  opened.defer(() => started.end());
  serving = started;
  setTimeout(prepareLog, PINO_MS).unref();
  const all = opened.move();
  return { serving: started, metrics, close: () => all.disposeAsync() };
}

/** Loads pino before the first line, when there may be no file descriptor left to load it. */
function prepareLog(): void {
  try {
    loadPino();
  } catch {
    // The first line tries again.
  }
}

/**
 * Opens the storage of a worker. On SQLite the main thread makes all writes, so that those of all
 * workers share their commits; a worker reads over a connection of its own.
 */
async function openWorkerStorage(
  { config, connections }: ServeOrder,
  main: Channel<MainCalls>,
  metrics: Metrics,
): Promise<Storage> {
  const { database, environment } = config;
  const opening = { access: 'read', fenced: true, connections } as const;
  const opened = await openStorage(database, environment, opening, metrics.storage.observer);
  const storage = metrics.storage.timed(opened);
  if (databaseAddress(database).engine !== 'sqlite') return storage;
  return writingBehind(main, storage);
}

/** Opens the configured limiter. What this process counts by itself, it counts in memory of all threads. */
function openWorkerLimiter(
  { worker, config, limits }: ServeOrder,
  main: Channel<MainCalls>,
  storage: Storage,
  log: Log,
  testClock: Clock | undefined,
): MaybePromise<Limiter> {
  const allocator = {
    slotOf: (familyId: bigint) => main.call('slotOf', familyId),
    // The main thread does this for all.
    flush: async () => {},
    report: (familyIds: readonly bigint[]) => main.call('reportAllowances', familyIds),
  };
  const rules: Config = config;
  const slots = createSlots(limits.keys, worker);
  const local = createThreadLimiter(limits, slots, worker, allocator, rules);
  // The main thread has warned of what this may log.
  if (config.limits === MEMORY) return local;
  return openConfiguredLimiter(config, storage, log, { clock: testClock, local });
}
