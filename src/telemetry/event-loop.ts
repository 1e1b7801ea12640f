import type { Metric } from './exposition.ts';
import { createHistogram } from './histogram.ts';

/** In seconds. */
const LAGS = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const EVERY_MS = 100;

/** Measures how late the event loop comes to what is due. */
export interface EventLoopLag {
  readonly metrics: readonly Metric[];
  end(): void;
}

/** Begins to measure. */
export function measureEventLoop(): EventLoopLag {
  const lags = createHistogram(LAGS);
  let due = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lags.observe(Math.max(0, now - due) / 1_000);
    due = now + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  return {
    metrics: [
      {
        name: 'petstore_event_loop_lag_seconds',
        help: 'How late a timer came that is due ten times a second: how long a request waits for its turn.',
        type: 'histogram',
        samples: () => [[{}, lags]],
      },
    ],
    end: () => clearInterval(timer),
  };
}
