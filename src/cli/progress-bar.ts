import { SingleBar } from 'cli-progress';

export interface ProgressBar extends Disposable {
  /** Sets the total amount of work. */
  start(total: number): void;
  advance(step: number): void;
}

/** Shows a progress bar if standard error is a terminal. Disposing removes it. */
export function createProgressBar(label: string): ProgressBar {
  const bar = new SingleBar({
    format: `${label} {bar} {percentage}%`,
    stream: process.stderr,
    clearOnComplete: true,
    // The caller handles signals.
    gracefulExit: false,
  });
  return {
    start: (total) => bar.start(total, 0),
    advance: (step) => bar.increment(step),
    [Symbol.dispose]: () => bar.stop(),
  };
}
