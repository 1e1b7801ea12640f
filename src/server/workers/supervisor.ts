import { operations } from '../../api/resources/operations.ts';
import { createSignIns, type SignIns } from '../../auth/sign-ins.ts';
import type { Limiter } from '../../domain/allowance.ts';
import type { Storage } from '../../domain/storage.ts';
import { createUploadFiles } from '../../http/upload.ts';
import { type LocalLimits, MAIN_THREAD, openLocalLimits } from '../../limits/local.ts';
import { MEMORY } from '../../limits/open.ts';
import { NOWHERE } from '../../limits/stored-allowances.ts';
import type { Config } from '../../settings/config.ts';
import { CONNECTIONS } from '../../storage/opening.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Certificate } from '../certificate.ts';
import { findPort, openListener } from '../listener.ts';
import {
  type Serving,
  type ServingParts,
  startServing,
  type ThreadServing,
  type Threads,
  uploadFolder,
} from '../serving.ts';
import type { MainCalls } from './calls.ts';
import { type Crew, createCrew } from './crew.ts';
import { type SpawnWorker, spawnMain } from './thread.ts';
import { createWorkerUploads, type WorkerUploads } from './upload-files.ts';
import { countWorkers } from './worker-count.ts';

const OPERATIONS = new Map(operations.map((operation) => [operation.id, operation]));

/** What serving with several threads needs from the process around it. */
export interface SupervisorParts extends Omit<ServingParts, 'threads' | 'listen'> {
  /** The number of threads that serve, this one included. */
  readonly workers: number;
  /** The connections to a database server that each may open. */
  readonly connections: number;
  readonly certificate: Certificate | undefined;
  readonly limits: Omit<LocalLimits, 'limiter'>;
  readonly spawn: SpawnWorker;
}

/**
 * Serves requests with several threads on one port, of which this is one. Starts the others once it
 * serves itself, and replaces those that die. This thread also makes all writes on SQLite, writes the
 * log and does the periodic work. Throws the runtime's error for an unusable address.
 */
export async function startSupervised(config: Config, parts: SupervisorParts): Promise<Serving> {
  const { fence, limits, workers, connections } = parts;
  const port = await findPort(config);
  let { certificate } = parts;
  let obstacle = fence.obstacle();

  const uploadFiles = createUploadFiles(uploadFolder(config));
  const signIns = createSignIns(parts.storage.people, parts.clock);
  const storeUsage = async () => {
    await Promise.all([own.storeUsage(), crew.each((worker) => worker.call('storeUsage'))]);
  };
  const threads: Threads = {
    routeWrites: (here) => here,
    uploadFiles,
    signIns,
    storeUsage,
  };
  const own = await startServing(shareOf(config, MAIN_THREAD, workers), {
    ...parts,
    threads,
    listen: () => openListener({ ...config, port, certificate, shared: true }),
  });
  const crew: Crew = createCrew({
    numbers: Array.from({ length: workers - 1 }, (_, index) => MAIN_THREAD + 1 + index),
    log: parts.log,
    spawn: parts.spawn,
    setUp(worker) {
      const uploads = createWorkerUploads(uploadFiles);
      return {
        order: {
          worker,
          config: shareOf(config, worker, workers),
          port,
          certificate,
          obstacle,
          connections,
          limits: limits.memory,
        },
        calls: {
          ...callsOf(parts, own, uploads),
          ...signIns,
          storeUsage,
        },
        end() {
          limits.freeHeldBy(worker);
          uploads.end();
        },
      };
    },
  });
  crew.start();

  return {
    ...own,
    collect: crew.collect,
    async renew(renewed) {
      certificate = renewed;
      await Promise.all([own.renew(renewed), crew.each((worker) => worker.call('renew', renewed))]);
    },
    setObstacle(now) {
      if (now === obstacle) return;
      obstacle = now;
      void crew.each((worker) => worker.tell('setObstacle', now));
    },
    announceEnd() {
      own.announceEnd();
      void crew.each((worker) => worker.tell('announceEnd'));
    },
    end: async () => void (await Promise.all([own.end(), crew.end()])),
  };
}

/** Returns the settings of a worker. The bounds of the process are divided, so that they hold. */
function shareOf(config: Config, worker: number, workers: number): Config {
  const { maxInProgress, maxWaiting } = config;
  const remainder = worker <= maxWaiting % workers ? 1 : 0;
  return {
    ...config,
    maxInProgress: Math.ceil(maxInProgress / workers),
    maxWaiting: Math.floor(maxWaiting / workers) + remainder,
  };
}

/** The calls that a worker makes on this thread. */
function callsOf(
  { storage, limiter, log, limits, metrics }: SupervisorParts,
  { executeWrite }: Pick<ThreadServing, 'executeWrite'>,
  uploads: WorkerUploads,
): Omit<MainCalls, 'storeUsage' | keyof SignIns> {
  return {
    write(operationId, request) {
      const operation = OPERATIONS.get(operationId);
      if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
      if (request.upload !== undefined) uploads.handOver(request.upload.descriptor);
      return executeWrite(operation, request);
    },
    openUpload: uploads.open,
    freeUpload: uploads.free,
    isUploadContested: uploads.isContested,
    closeUpload: uploads.close,
    recordUse: storage.keys.recordUse,
    startSession: storage.sessions.create,
    endSession: storage.sessions.remove,
    recordSessionUse: storage.sessions.recordUse,
    addUsage: storage.usage.add,
    receiveEnquiry: storage.enquiries.receive,
    formSecret: storage.shop.formSecret,
    slotOf: limits.allocator.slotOf,
    reportAllowances: limiter.report,
    noteRequests: metrics.keys.note,
    log: log.writeLines,
  };
}

/** Several workers, before the database is open. */
export interface PlannedWorkers {
  /** How many threads serve, the main thread among them. */
  readonly workers: number;
  /** The connections to a database server that the main thread may open. */
  readonly connections: number;
  /** Prepares the workers. Returns undefined if the main thread has to serve by itself. */
  open(storage: Storage, isLocked: boolean): Workers | undefined;
}

/** Workers that can be started. */
interface Workers {
  /** Counts for all threads of this process: always, or while the server that counts is lost. */
  readonly limiter: Limiter;
  start(
    parts: Omit<SupervisorParts, 'workers' | 'connections' | 'limits' | 'spawn'>,
  ): Promise<Serving>;
}

/** A worker needs a connection to read and one to write, or its requests wait for each other. */
const CONNECTIONS_MIN = 2;
/** More for the main thread: for imports, deliveries and periodic work. */
const MAIN_THREAD_CONNECTIONS = 2;

/** Plans the configured workers. Returns undefined if one thread serves. */
export function planWorkers(
  config: Config,
  log: Pick<Log, 'warn'>,
  spawn: SpawnWorker = spawnMain,
): PlannedWorkers | undefined {
  const warn = (reason: string) => log.warn(`one worker serves instead of several: ${reason}`);
  const { workers, reason } = countWorkers(config);
  if (reason !== undefined) warn(reason);
  if (workers === 1) return undefined;
  const connections = Math.max(CONNECTIONS_MIN, Math.ceil(CONNECTIONS / workers));
  return {
    workers,
    connections: connections + MAIN_THREAD_CONNECTIONS,
    open(storage, isLocked) {
      if (isLocked) {
        warn('the disk is full, so only one thread can open the database');
        return undefined;
      }
      const isShared = config.limits !== MEMORY;
      const limits = openLocalLimits(isShared ? NOWHERE : storage.allowances, config);
      return {
        limiter: limits.limiter,
        start: (parts) =>
          startSupervised(config, { ...parts, workers, connections, limits, spawn }),
      };
    },
  };
}
