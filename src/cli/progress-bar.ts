import { SingleBar } from 'cli-progress';

/** How far long work has come. */
export interface ProgressBar extends Disposable {
  /** Sets what is to be done in all. */
  start(total: number): void;
  advance(step: number): void;
}

/** Shows a bar on standard error where that is a terminal; disposing removes it. */
export function createProgressBar(label: string): ProgressBar {
  const bar = new SingleBar({
    format: `${label} {bar} {percentage}%`,
    stream: process.stderr,
    clearOnComplete: true,
    // Signals are listened for by the work itself.
    gracefulExit: false,
  });
  return {
    start: (total) => bar.start(total, 0),
    advance: (step) => bar.increment(step),
    [Symbol.dispose]: () => bar.stop(),
  };
}
