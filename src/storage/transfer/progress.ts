import { TransferFailure } from './failure.ts';

/** Reports the progress of a transfer in rows, and whether it was interrupted. */
export interface Progress {
  start(total: number): void;
  advance(step: number): void;
  isInterrupted(): boolean;
}

/**
 * Throws `TransferFailure` if the transfer was interrupted. SQLite works synchronously, so this waits
 * for one turn of the event loop, in which a signal can arrive.
 */
export async function continueAfter(progress: Progress): Promise<void> {
  await new Promise(setImmediate);
  if (progress.isInterrupted()) throw new TransferFailure('stopped as you asked.');
}
