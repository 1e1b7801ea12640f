import type { RunningServer } from './workbench.ts';

const LOOK_MS = 100;
/** Of each 100 ms; less than Linux counts in. */
const IDLE_MS = 10;
const PATIENCE_MS = 30_000;

/**
 * Waits until a server does nothing more. What the load had sent when it ended is worked through
 * all the same, on the core where the next one is measured.
 */
export async function untilIdle(
  { cpuMilliseconds }: Pick<RunningServer, 'cpuMilliseconds'>,
  patience: number = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patience;
  let before = cpuMilliseconds();
  while (performance.now() < deadline) {
    await Bun.sleep(LOOK_MS);
    const now = cpuMilliseconds();
    if (now - before <= IDLE_MS) return;
    before = now;
  }
  throw new Error(`it was still at work ${patience / 1_000} s after the load`);
}
