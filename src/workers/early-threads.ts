import type { Worker } from 'node:worker_threads';
import { type SpawnWorker, spawnMain } from './thread.ts';

/** Threads that load their code while the main thread opens the database. */
export interface EarlyThreads {
  /** Hands out a thread that was started early, or starts one. */
  readonly spawn: SpawnWorker;
  /** Ends the threads that were not handed out. */
  end(): Promise<void>;
}

/** Starts threads that are needed later. */
export function startThreadsEarly(count: number, spawn: SpawnWorker = spawnMain): EarlyThreads {
  const waiting = new Set<Worker>();
  for (let started = 0; started < count; started++) add(spawn());

  function add(thread: Worker): void {
    const leave = () => void waiting.delete(thread);
    // The thread that replaces one that fails this early reports the same failure.
    thread.once('error', leave);
    thread.once('exit', leave);
    waiting.add(thread);
  }

  return {
    spawn() {
      const [thread] = waiting;
      if (thread === undefined) return spawn();
      waiting.delete(thread);
      return thread;
    },
    async end() {
      await Promise.all([...waiting].map((thread) => thread.terminate()));
    },
  };
}
