import type { Config } from '../config.ts';
import type { Limiter } from '../domain/allowance.ts';
import type { Storage } from '../domain/storage.ts';
import { MEMORY } from '../limits/open.ts';
import { freeAddressesHeldBy } from '../limits/shared-memory/addresses.ts';
import { allocateLimitMemory, createThreadLimiter } from '../limits/shared-memory/limiter.ts';
import { createSlotKeeper } from '../limits/shared-memory/slot-keeper.ts';
import { createSlots } from '../limits/shared-memory/slots.ts';
import type { Serving } from '../serving.ts';
import type { Log } from '../telemetry/log.ts';
import { countWorkers } from '../worker-count.ts';
import { type SharedLimits, type SupervisorParts, startSupervised } from './supervisor.ts';
import type { SpawnWorker } from './thread.ts';

/** What decides how many workers serve. */
export interface WorkersOptions {
  readonly storage: Storage;
  readonly log: Log;
  /** Whether this thread has locked the database for itself, because the disk is full. */
  readonly isLocked: boolean;
  readonly spawn?: SpawnWorker | undefined;
}

/** Workers that can be started. */
export interface Workers {
  /** The limiter that counts with the workers; undefined if another server counts. */
  readonly limiter: Limiter | undefined;
  start(parts: Omit<SupervisorParts, 'workers' | 'limits' | 'spawn'>): Promise<Serving>;
}

/** The number of the main thread among those that share memory. Workers count from 1. */
const MAIN_THREAD = 0;

/** Prepares the configured workers. Returns undefined if this thread has to serve by itself. */
export function openWorkers(config: Config, options: WorkersOptions): Workers | undefined {
  const { log, storage, isLocked, spawn } = options;
  const { workers, reason } = isLocked
    ? { workers: 1, reason: 'the disk is full, so only one thread can open the database' }
    : countWorkers(config);
  if (reason !== undefined) log.warn(`one worker serves instead of several: ${reason}`);
  if (workers === 1) return undefined;
  const shared = config.limits === MEMORY ? shareLimits(storage, config) : undefined;
  return {
    limiter: shared?.limiter,
    start: (parts) => startSupervised(config, { ...parts, workers, limits: shared, spawn }),
  };
}

/** Opens counts in memory that all threads share. This thread reads and saves them. */
function shareLimits(storage: Storage, rules: Config): SharedLimits & { limiter: Limiter } {
  const memory = allocateLimitMemory();
  const slots = createSlots(memory.keys, MAIN_THREAD);
  const keeper = createSlotKeeper(storage.allowances, slots);
  return {
    memory,
    keeper,
    limiter: createThreadLimiter(memory, slots, MAIN_THREAD, keeper, rules),
    freeHeldBy(thread) {
      slots.freeHeldBy(thread);
      freeAddressesHeldBy(memory.addresses, thread);
    },
  };
}
