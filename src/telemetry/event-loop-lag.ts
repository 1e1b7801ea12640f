import { SECOND_MS } from '../domain/clock.ts';
import { createHistogram, type Histogram } from './exposition.ts';

/** Milliseconds between two measurements. */
const EVERY_MS = 25;
/** Histogram buckets, in seconds. */
const LAGS = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Measures how late the event loop is, by a timer that does not keep the process alive. */
export function measureEventLoopLag(): { readonly lags: Histogram; end(): void } {
  const lags = createHistogram(LAGS);
  let dueAt = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lags.observe(Math.max(0, now - dueAt) / SECOND_MS);
    dueAt = now + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  return { lags, end: () => clearInterval(timer) };
}
