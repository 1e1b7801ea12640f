import type { RunningServer } from './workbench.ts';

const POLL_MS = 100;
/** Milliseconds per 100 ms; below the resolution of Linux. */
const IDLE_MS = 10;
const TIMEOUT_MS = 30_000;

/**
 * Waits until a server is idle. Otherwise it would still work through the end of its load on the core
 * where the next server is measured.
 */
export async function untilIdle(
  { cpuMilliseconds }: Pick<RunningServer, 'cpuMilliseconds'>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let before = cpuMilliseconds();
  while (performance.now() < deadline) {
    await Bun.sleep(POLL_MS);
    const now = cpuMilliseconds();
    if (now - before <= IDLE_MS) return;
    before = now;
  }
  throw new Error(`the server was still busy ${timeoutMs / 1_000} s after the load`);
}
