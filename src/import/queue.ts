import { closeSync } from 'node:fs';
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
 * The code that runs imports is loaded with the first one, so that
 * the start of the service does not wait for the readers.
 */
export function createImportQueue(
  parts: ImportQueueParts,
  load = () => import('./run-task.ts'),
): ImportQueue & { end(): Promise<void> } {
  const owner = crypto.randomUUID();
  const waiting: ImportTask[] = [];
  const taken = new WeakSet<Upload>();
  /** When each family last had its turn, counted in imports. */
  const turns = new Map<bigint, number>();
  let turn = 0;
  let running: Promise<void> | undefined;
  const ending = new AbortController();
  const isEnding = () => ending.signal.aborted;
  /** Imports whose photos are being fetched, with their families. */
  const fetching = new Map<Promise<void>, bigint>();
  const taskParts = { ...parts, owner, isEnding, ending: ending.signal };
  const renewal = createRenewal(parts, owner, () => running !== undefined || fetching.size > 0);

  /** Takes the oldest import of the family whose last turn is longest ago. */
  function takeNext(): ImportTask | undefined {
    const turnOf = ({ familyId }: ImportTask) => turns.get(familyId) ?? 0;
    const next = waiting.reduce<ImportTask | undefined>(
      (first, task) => (first === undefined || turnOf(task) < turnOf(first) ? task : first),
      undefined,
    );
    if (next === undefined) {
      turns.clear();
      return undefined;
    }
    turns.set(next.familyId, ++turn);
    waiting.splice(waiting.indexOf(next), 1);
    return next;
  }

  async function work(): Promise<void> {
    for (let task = takeNext(); task !== undefined; task = takeNext()) {
      try {
        const { runTask } = await load();
        const fetchPhotos = await runTask(task, taskParts);
        if (fetchPhotos !== undefined) follow(fetchPhotos(), task.familyId);
      } catch (error) {
        // Without free file descriptors the code cannot be loaded.
        await failTask(error, createTaskState(task.record, taskParts), taskParts);
      } finally {
        closeSync(task.upload.descriptor);
      }
    }
    running = undefined;
    renewal.rest();
  }

  function follow(work: Promise<void>, familyId: bigint): void {
    const done = work.finally(() => {
      fetching.delete(done);
      renewal.rest();
    });
    fetching.set(done, familyId);
  }

  return {
    owner,
    requireRoom({ bytes }, familyId) {
      const own = waiting.filter((task) => task.familyId === familyId);
      const ownFetching = [...fetching.values()].filter((family) => family === familyId);
      const isFull =
        waiting.length + fetching.size >= WAITING_MAX ||
        bytesOf(waiting) + bytes > BYTES_MAX ||
        own.length + ownFetching.length >= FAMILY_WAITING_MAX ||
        bytesOf(own) + bytes > FAMILY_BYTES_MAX;
      if (isEnding() || isFull) throw tooManyImports();
    },
    start(task) {
      taken.add(task.upload);
      waiting.push(task);
      renewal.start();
      running ??= work();
    },
    discard(upload) {
      if (!taken.has(upload)) closeSync(upload.descriptor);
    },
    /** Ends the import that runs after its batch, and all that wait. They are then failed. */
    async end() {
      ending.abort();
      await running;
      await Promise.all(fetching.keys());
    },
  };
}

/** Renews the leases of this process while it is busy. */
function createRenewal(
  { storage, clock, failed }: ImportQueueParts,
  owner: string,
  isBusy: () => boolean,
) {
  let timer: ReturnType<typeof setInterval> | undefined;
  async function renew(): Promise<void> {
    try {
      await storage.imports.renew(owner, clock.now() + IMPORT_LEASE_MS);
    } catch (error) {
      failed(error);
    }
  }
  return {
    start(): void {
      timer ??= setInterval(() => void renew(), RENEW_MS);
    },
    rest(): void {
      if (isBusy()) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function bytesOf(tasks: readonly ImportTask[]): number {
  return tasks.reduce((sum, { upload }) => sum + upload.bytes, 0);
}
