import { TransferFailure } from './failure.ts';

/** How far a transfer has come, and whether somebody wants it to stop. Steps are rows. */
export interface Progress {
  start(total: number): void;
  advance(step: number): void;
  isInterrupted(): boolean;
}

/** Throws `TransferFailure` when somebody wants it to stop. */
export function goOn(progress: Progress): void {
  if (progress.isInterrupted()) throw new TransferFailure('stopped as you asked.');
}
