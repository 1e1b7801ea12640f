/** How a service told its state while it was overloaded. */
export interface HealthReport {
  readonly asked: number;
  /** Responses with 200 that came later than a second. */
  readonly late: number;
  /** Responses other than 200, and none within the timeout. */
  readonly failed: number;
  readonly slowestMs: number;
}

/** The paths, and the timeouts of examples/high-availability/kubernetes.yaml. */
const PROBES = [
  { path: '/livez', timeoutMs: 5_000 },
  { path: '/readyz', timeoutMs: 3_000 },
];
const PAUSE_MS = 100;
const LATE_MS = 1_000;

/** Asks a service for its state until the result is disposed of, over a connection for each request as probes do. */
export function startHealthProbe(origin: string): AsyncDisposable & { report(): HealthReport } {
  let [asked, late, failed, slowestMs, over] = [0, 0, 0, 0, false];

  async function ask({ path, timeoutMs }: (typeof PROBES)[number]): Promise<void> {
    const start = performance.now();
    asked++;
    const options = { keepalive: false, signal: AbortSignal.timeout(timeoutMs) };
    const response = await fetch(origin + path, options).catch(() => undefined);
    await response?.text();
    const took = performance.now() - start;
    if (response?.status !== 200) failed++;
    else if (took > LATE_MS) late++;
    slowestMs = Math.max(slowestMs, took);
  }

  async function askUntilOver(probe: (typeof PROBES)[number]): Promise<void> {
    while (!over) {
      await ask(probe);
      await Bun.sleep(PAUSE_MS);
    }
  }
  const asking = PROBES.map(askUntilOver);

  return {
    report: () => ({ asked, late, failed, slowestMs }),
    async [Symbol.asyncDispose]() {
      over = true;
      await Promise.all(asking);
    },
  };
}
