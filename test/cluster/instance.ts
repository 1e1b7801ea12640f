import { spawnPetstore } from '../support/command-line.ts';
import { freePort } from '../support/free-port.ts';

/** `petstore serve` as a separate process, on the same port after a restart. */
export interface Instance extends AsyncDisposable {
  readonly port: number;
  /** Its own address, not that of the proxy. */
  readonly url: string;
  /** Everything written to standard output and standard error since the last start. */
  output(): string;
  /** Returns true while the process runs. */
  isRunning(): boolean;
  /** Starts it, and waits until it is ready. */
  start(): Promise<void>;
  /** Sends SIGTERM; returns the exit code. */
  terminate(): Promise<number>;
  /** Kills it. Disposing of the result starts it again. */
  kill(): Promise<AsyncDisposable>;
  /**
   * Suspends it, like a machine that hangs, until the result is disposed of: its connections stay
   * open, but get no response.
   */
  pause(): Disposable;
}

const READY_MS = 15_000;

type Settings = Readonly<Record<string, string>>;

/** An instance with these settings, not yet started; `spawn` may run another program. */
export function createInstance(
  settings: Settings,
  spawn = (all: Settings) => spawnPetstore(['serve'], all),
): Instance {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ReturnType<typeof spawnPetstore> | undefined;
  let logs = '';

  async function listen(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) logs += decoder.decode(chunk, { stream: true });
  }

  async function start(): Promise<void> {
    const process = spawn({ ...settings, PETSTORE_PORT: String(port) });
    child = process;
    logs = '';
    const ended = Promise.all([listen(process.stdout), listen(process.stderr)]);
    const end = performance.now() + READY_MS;
    while (!(await isReady(url))) {
      const isLate = performance.now() > end;
      if (isLate) process.kill('SIGKILL');
      if (isLate || process.exitCode !== null) {
        await ended;
        throw new Error(`it does not serve: ${logs}`);
      }
      await Bun.sleep(20);
    }
  }

  const signal = (name: NodeJS.Signals) => child?.kill(name);
  async function end(name: NodeJS.Signals): Promise<number> {
    signal(name);
    return (await child?.exited) ?? 0;
  }

  return {
    port,
    url,
    output: () => logs,
    isRunning: () => child?.exitCode === null && child.signalCode === null,
    start,
    terminate: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL');
      return { [Symbol.asyncDispose]: start };
    },
    pause() {
      signal('SIGSTOP');
      return { [Symbol.dispose]: () => signal('SIGCONT') };
    },
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false;
  }
}
