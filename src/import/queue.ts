import { closeSync } from 'node:fs';
import { createTurns } from '../domain/fair-places.ts';
import { IMPORT_LEASE_MS } from '../domain/import.ts';
import { type ImportQueue, type ImportTask, tooManyImports } from '../domain/import-queue.ts';
import type { Upload } from '../domain/upload.ts';
import { createTaskState, failTask, type TaskStateParts } from './task-state.ts';

/** Imports that may wait for their turn, and the disk space that their files may take. */
const WAITING_MAX = 100;
const BYTES_MAX = 268_435_456;
/** The same for one family of keys, so that others find room. */
const FAMILY_WAITING_MAX = 10;
const FAMILY_BYTES_MAX = 134_217_728;
/** A third of the lease, so that two renewals may fail. */
const RENEW_MS = IMPORT_LEASE_MS / 3;

/** The dependencies of the queue. */
type ImportQueueParts = Pick<
  TaskStateParts,
  'storage' | 'maxCategories' | 'clock' | 'failed' | 'photosFor'
>;

/**
 * Creates the queue of this process. An import fails when its process ends, since only this process
 * has the file: it has no name, so nothing has to be cleaned up. Importing it again finishes it.
 *
 * The code that runs imports is loaded with the first one, so that a start does not wait for the readers.
 */
export function createImportQueue(
  parts: ImportQueueParts,
  load = () => import('./run-task.ts'),
): ImportQueue & { end(): Promise<void> } {
  const owner = crypto.randomUUID();
  const takeTurn = createTurns({ atOnce: 1, perHolder: Infinity }, tooManyImports);
  /** Imports that wait for their turn, and those whose photos are being fetched. */
  const waiting = new Set<ImportTask>();
  const fetching = new Set<ImportTask>();
  /** All that have not ended. */
  const underWay = new Set<Promise<void>>();
  const taken = new WeakSet<Upload>();
  const ending = new AbortController();
  const isEnding = () => ending.signal.aborted;
  const taskParts = { ...parts, owner, isEnding, ending: ending.signal };
  let renewing: ReturnType<typeof setInterval> | undefined;

  async function readFile(task: ImportTask) {
    waiting.delete(task);
    try {
      const { runTask } = await load();
      return await runTask(task, taskParts);
    } catch (error) {
      // Without free file descriptors the code cannot be loaded.
      await failTask(error, createTaskState(task.record, taskParts), taskParts);
      return undefined;
    } finally {
      closeSync(task.upload.descriptor);
    }
  }

  /** Carries out an import in the turn of its family, and fetches its photos beside others. */
  async function carryOut(task: ImportTask): Promise<void> {
    const fetchPhotos = await takeTurn(task.familyId, () => readFile(task));
    if (fetchPhotos === undefined) return;
    fetching.add(task);
    await fetchPhotos().finally(() => fetching.delete(task));
  }

  /** Renews the leases of this process. */
  async function renew(): Promise<void> {
    try {
      await parts.storage.imports.renew(owner, parts.clock.now() + IMPORT_LEASE_MS);
    } catch (error) {
      parts.failed(error);
    }
  }

  return {
    owner,
    requireRoom({ bytes }, familyId) {
      const isOwn = (task: ImportTask) => task.familyId === familyId;
      const own = [...waiting].filter(isOwn);
      const isFull =
        waiting.size + fetching.size >= WAITING_MAX ||
        bytesOf([...waiting]) + bytes > BYTES_MAX ||
        own.length + [...fetching].filter(isOwn).length >= FAMILY_WAITING_MAX ||
        bytesOf(own) + bytes > FAMILY_BYTES_MAX;
      if (isEnding() || isFull) throw tooManyImports();
    },
    start(task) {
      taken.add(task.upload);
      waiting.add(task);
      renewing ??= setInterval(() => void renew(), RENEW_MS);
      const done = carryOut(task).finally(() => {
        underWay.delete(done);
        if (underWay.size > 0) return;
        clearInterval(renewing);
        renewing = undefined;
      });
      underWay.add(done);
    },
    discard(upload) {
      if (!taken.has(upload)) closeSync(upload.descriptor);
    },
    /** Ends the import that runs after its batch, and all that wait. They are then failed. */
    async end() {
      ending.abort();
      await Promise.all(underWay);
    },
  };
}

function bytesOf(tasks: readonly ImportTask[]): number {
  return tasks.reduce((sum, { upload }) => sum + upload.bytes, 0);
}
