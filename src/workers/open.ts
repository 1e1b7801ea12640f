import type { Config } from '../config.ts';
import type { Limiter } from '../domain/allowance.ts';
import type { Storage } from '../domain/storage.ts';
import { MEMORY } from '../limits/open.ts';
import { freeAddressesHeldBy } from '../limits/shared-memory/addresses.ts';
import { allocateLimitMemory, createThreadLimiter } from '../limits/shared-memory/limiter.ts';
import { createSlotAllocator } from '../limits/shared-memory/slot-allocator.ts';
import { createSlots } from '../limits/shared-memory/slots.ts';
import type { Serving } from '../serving.ts';
import type { Log } from '../telemetry/log.ts';
import { countWorkers } from '../worker-count.ts';
import { startThreadsEarly } from './early-threads.ts';
import { type SharedLimits, type SupervisorParts, startSupervised } from './supervisor.ts';
import type { SpawnWorker } from './thread.ts';

/** Workers whose threads load their code while the main thread opens the database. */
export interface EarlyWorkers {
  /** Prepares the workers. Returns undefined if the main thread has to serve by itself. */
  open(storage: Storage, isLocked: boolean): Workers | undefined;
  /** Ends the threads that do not serve. */
  end(): Promise<void>;
}

/** Workers that can be started. */
export interface Workers {
  /** The limiter that counts with the workers; undefined if another server counts. */
  readonly limiter: Limiter | undefined;
  start(parts: Omit<SupervisorParts, 'workers' | 'limits' | 'spawn'>): Promise<Serving>;
}

/** The number of the main thread among those that share memory. Workers count from 1. */
const MAIN_THREAD = 0;

/** Starts the threads of the configured workers. Returns undefined if one thread serves. */
export function startWorkersEarly(
  config: Config,
  log: Pick<Log, 'warn'>,
  spawn?: SpawnWorker,
): EarlyWorkers | undefined {
  const warn = (reason: string) => log.warn(`one worker serves instead of several: ${reason}`);
  const { workers, reason } = countWorkers(config);
  if (reason !== undefined) warn(reason);
  if (workers === 1) return undefined;
  const threads = startThreadsEarly(workers, spawn);
  return {
    end: threads.end,
    open(storage, isLocked) {
      if (isLocked) {
        warn('the disk is full, so only one thread can open the database');
        void threads.end();
        return undefined;
      }
      const limits = config.limits === MEMORY ? shareLimits(storage, config) : undefined;
      const { spawn } = threads;
      return {
        limiter: limits?.limiter,
        start: (parts) => startSupervised(config, { ...parts, workers, limits, spawn }),
      };
    },
  };
}

/** Opens counts in memory that all threads share. This thread reads and saves them. */
function shareLimits(storage: Storage, rules: Config): SharedLimits & { limiter: Limiter } {
  const memory = allocateLimitMemory();
  const slots = createSlots(memory.keys, MAIN_THREAD);
  const allocator = createSlotAllocator(storage.allowances, slots);
  return {
    memory,
    allocator,
    limiter: createThreadLimiter(memory, slots, MAIN_THREAD, allocator, rules),
    freeHeldBy(thread) {
      slots.freeHeldBy(thread);
      freeAddressesHeldBy(memory.addresses, thread);
    },
  };
}
