import type { Limiter } from '../../domain/allowance.ts';
import type { Storage } from '../../domain/storage.ts';
import { openLocalLimits } from '../../limits/local.ts';
import { MEMORY } from '../../limits/open.ts';
import { NOWHERE } from '../../limits/stored-allowances.ts';
import type { Config } from '../../settings/config.ts';
import { CONNECTIONS } from '../../storage/opening.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Serving } from '../serving.ts';
import { type SupervisorParts, startSupervised } from './supervisor.ts';
import { type SpawnWorker, spawnMain } from './thread.ts';
import { countWorkers } from './worker-count.ts';

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
export interface Workers {
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
