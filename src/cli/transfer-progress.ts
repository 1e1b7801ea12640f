import type { Progress } from '../storage/transfer/progress.ts';
import { listenForInterruption } from './interruption.ts';
import { createProgressBar } from './progress-bar.ts';

/** Runs a transfer with a progress bar. Ctrl-C stops it. */
export async function withProgress<T>(
  label: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  using interruption = listenForInterruption();
  using bar = createProgressBar(label);
  return await work({ ...bar, isInterrupted: () => interruption.asked });
}
