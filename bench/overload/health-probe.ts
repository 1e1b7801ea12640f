/** How a service told its state while it was overloaded. */
export interface HealthReport {
  readonly asked: number;
  /** Responses other than 200, and none within the deadline. */
  readonly failed: number;
  readonly slowestMs: number;
}

const PATHS = ['/livez', '/readyz'];
const PAUSE_MS = 100;
/** The usual timeout of a probe. */
const DEADLINE_MS = 1_000;

/** Asks a service for its state until the result is disposed of, over a connection for each request as probes do. */
export function startHealthProbe(origin: string): AsyncDisposable & { report(): HealthReport } {
  let [asked, failed, slowestMs, over] = [0, 0, 0, false];

  async function ask(path: string): Promise<void> {
    const start = performance.now();
    asked++;
    const options = { keepalive: false, signal: AbortSignal.timeout(DEADLINE_MS) };
    const response = await fetch(origin + path, options).catch(() => undefined);
    await response?.text();
    if (response?.status !== 200) failed++;
    slowestMs = Math.max(slowestMs, performance.now() - start);
  }

  async function askUntilOver(path: string): Promise<void> {
    while (!over) {
      await ask(path);
      await Bun.sleep(PAUSE_MS);
    }
  }
  const asking = PATHS.map(askUntilOver);

  return {
    report: () => ({ asked, failed, slowestMs }),
    async [Symbol.asyncDispose]() {
      over = true;
      await Promise.all(asking);
    },
  };
}
