import { closeSync } from 'node:fs';
import type { Clock } from '../domain/clock.ts';
import { IMPORT_LEASE_MS, type ImportStorage } from '../domain/import.ts';
import { type ImportQueue, type ImportTask, tooManyImports } from '../domain/import-queue.ts';
import type { Upload } from '../domain/upload.ts';
import { failTask } from './fail-task.ts';
import { createTaskState } from './task-state.ts';

/** Imports that may wait for their turn, and the disk space that their files may take. */
const WAITING_MAX = 100;
const BYTES_MAX = 268_435_456;
/** A third of the lease, so that two renewals may fail. */
const RENEW_MS = IMPORT_LEASE_MS / 3;

/** The dependencies of the queue. */
export interface ImportQueueParts {
  readonly imports: ImportStorage;
  readonly clock: Clock;
  /** Reports an error that is no fault of the file. */
  failed(error: unknown): void;
}

/** A queue that can be ended. */
export interface RunningImportQueue extends ImportQueue {
  /** Ends the import that runs after its batch, and all that wait. They are then failed. */
  end(): Promise<void>;
}

/**
 * Creates the queue of this process. The code that runs imports is loaded with the first one, so that
 * the start of the service does not wait for the readers.
 */
export function createImportQueue(
  parts: ImportQueueParts,
  load = () => import('./run-task.ts'),
): RunningImportQueue {
  const { imports, clock, failed } = parts;
  const owner = crypto.randomUUID();
  const waiting: ImportTask[] = [];
  const taken = new WeakSet<Upload>();
  let running: Promise<void> | undefined;
  let isEnding = false;
  const taskParts = { ...parts, owner, isEnding: () => isEnding };

  async function work(): Promise<void> {
    const renewal = setInterval(() => void renew(), RENEW_MS);
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      try {
        const { runTask } = await load();
        await runTask(task, taskParts);
      } catch (error) {
        // Without free file descriptors the code cannot be loaded.
        await failTask(error, createTaskState(task.record.id, taskParts), parts);
      } finally {
        closeSync(task.upload.descriptor);
      }
    }
    clearInterval(renewal);
    running = undefined;
  }

  async function renew(): Promise<void> {
    try {
      await imports.renew(owner, clock.now() + IMPORT_LEASE_MS);
    } catch (error) {
      failed(error);
    }
  }

  return {
    owner,
    requireRoom({ bytes }) {
      const taken = waiting.reduce((sum, { upload }) => sum + upload.bytes, 0);
      if (isEnding || waiting.length >= WAITING_MAX || taken + bytes > BYTES_MAX) {
        throw tooManyImports();
      }
    },
    start(task) {
      taken.add(task.upload);
      waiting.push(task);
      running ??= work();
    },
    discard(upload) {
      if (!taken.has(upload)) closeSync(upload.descriptor);
    },
    async end() {
      isEnding = true;
      await running;
    },
  };
}
