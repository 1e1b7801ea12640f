import { Worker } from 'node:worker_threads';
import type { MainCalls, WorkerCalls } from './calls.ts';
import { type Channel, openChannel } from './channel.ts';

/** Starts the thread of a worker, which calls `startWorker`. */
export type SpawnWorker = () => Worker;

/** A worker as the main thread sees it. */
export interface WorkerThread {
  readonly worker: Channel<WorkerCalls>;
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<Error>;
  terminate(): Promise<void>;
}

/** Enters the main file again in a thread: an executable has no other file. */
export const spawnMain: SpawnWorker = () => new Worker(Bun.main);

/** Starts a worker. Its calls fail once it has ended. */
export function startThread(spawn: SpawnWorker, calls: MainCalls): WorkerThread {
  const thread = spawn();
  const worker: Channel<WorkerCalls> = openChannel<MainCalls, WorkerCalls>(thread, calls);
  const { promise: ended, resolve } = Promise.withResolvers<Error>();
  let reason: Error | undefined;
  thread.on('error', (error) => {
    reason = error instanceof Error ? error : new Error(String(error));
  });
  thread.on('exit', (code) => {
    const error = reason ?? new Error(`the thread ended with code ${code}`);
    // Before the calls fail: who waits for either learns that the thread has ended.
    resolve(error);
    worker.fail(error);
  });
  return { worker, ended, terminate: async () => void (await thread.terminate()) };
}
