import { TransferFailure } from './failure.ts';

/** How far a transfer has come, and whether somebody wants it to stop. Steps are rows. */
export interface Progress {
  start(total: number): void;
  advance(step: number): void;
  isInterrupted(): boolean;
}

/**
 * Throws `TransferFailure` when somebody wants it to stop. An engine that answers at once leaves no
 * turn for the signal that says so, so it is waited for here.
 */
export async function continueAfter(progress: Progress): Promise<void> {
  await new Promise(setImmediate);
  if (progress.isInterrupted()) throw new TransferFailure('stopped as you asked.');
}
