import { SingleBar } from 'cli-progress';
import type { Counts, Progress } from '../storage/transfer/copy.ts';

/** Shows a progress bar if standard error is a terminal. Disposing removes it. */
export function createProgressBar(label: string) {
  const bar = new SingleBar({
    format: `${label} {bar} {percentage}%`,
    stream: process.stderr,
    clearOnComplete: true,
    // The caller handles signals.
    gracefulExit: false,
  });
  return {
    /** Sets the total amount of work. */
    start: (total: number): void => bar.start(total, 0),
    advance: (step: number): void => bar.increment(step),
    [Symbol.dispose]: (): void => bar.stop(),
  };
}

/** Remembers Ctrl-C and SIGTERM, so that work can stop where it is safe. */
export interface Interruption extends Disposable {
  readonly requested: boolean;
}

/** Starts to listen. Further signals change nothing: npm sends each one twice. */
export function listenForInterruption(): Interruption {
  let requested = false;
  const ask = () => {
    requested = true;
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return {
    get requested() {
      return requested;
    },
    [Symbol.dispose]() {
      process.off('SIGINT', ask);
      process.off('SIGTERM', ask);
    },
  };
}

/** Runs a transfer with a progress bar. Ctrl-C stops it. */
export async function withProgress<T>(
  label: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  using interruption = listenForInterruption();
  using bar = createProgressBar(label);
  return await work({ ...bar, isInterrupted: () => interruption.requested });
}

const NOUNS = [
  ['pets', 'animal', 'animals'],
  ['categories', 'category', 'categories'],
  ['orders', 'order', 'orders'],
  ['api_keys', 'key', 'keys'],
  ['webhooks', 'webhook', 'webhooks'],
] as const;

/** Summarizes a transfer that started at `begin` (`performance.now`) and how it was verified. */
export function transferText(counts: Counts, begin: number, checks: string): string {
  const seconds = (performance.now() - begin) / 1_000;
  return `${countsText(counts)} (${seconds.toFixed(1)} s, ${checks})`;
}

/** Returns `1,000 animals, 3 categories, …`. */
function countsText(counts: Counts): string {
  return NOUNS.map(([table, one, many]) => {
    const count = counts.get(table) ?? 0;
    return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
  }).join(', ');
}
