import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { cpuMillisecondsOf } from './process-usage.ts';

/** The measured server runs on one core; the load and everything else on the other. */
export const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** Lists of cores, as `taskset -c` takes them. */
export interface Cores {
  readonly server: string;
  /** Of the load and everything else. */
  readonly load: string;
}

const APART: Cores = { server: String(SERVER_CORE), load: String(LOAD_CORE) };
/** The server has both cores, and shares them with the load. */
export const SHARED_CORES: Cores = { server: '0,1', load: '0,1' };

const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 5_000;
/** The resolution of measured start times. */
const POLL_MS = 2;
/** Cheap for every server, also for those that respond with 404. */
const PROBE_PATH = '/livez';
/** Time limit for a command on the core of the load. */
const RUN_TIMEOUT_MS = 120_000;

/** A server under measurement. */
export interface RunningServer {
  /** The address without a path. */
  readonly origin: string;
  readonly pid: number;
  /** Processor time since the start, including all threads and child processes. */
  cpuMilliseconds(): number;
  /** Empties the file with the server's output, so that a long run does not fill the disk. */
  clearLog(): void;
  stop(): Promise<void>;
}

/** The output, exit code and processor time of a command on the core of the load. */
export interface Finished {
  readonly output: string;
  readonly exitCode: number;
  readonly cpuMilliseconds: number;
}

/** A temporary folder and the processes of a run. Disposal removes both. */
export interface Workbench extends AsyncDisposable {
  readonly folder: string;
  /** Starts a server on its core and waits until it responds. */
  serve(name: string, command: (port: number) => readonly string[]): Promise<RunningServer>;
  /** Runs a command to its end on the core of the load. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  /** What starts from now on runs on these cores, and so does this process. */
  moveTo(cores: Cores): void;
  /** Disposes of `belonging` together with the run, after the servers have stopped. */
  use<T extends AsyncDisposable>(belonging: T): T;
}

/** Opens a workbench. A signal that ends the run disposes of it first. */
export function openWorkbench(taskset: string): Workbench {
  let cores = APART;
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const children = new Set<Bun.Subprocess>();
  const belongings = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;

  /** Starts a process. While the run is ending it waits forever instead, until the signal exits. */
  async function adopt<T extends Bun.Subprocess>(spawn: () => T): Promise<T> {
    if (closing !== undefined) return new Promise<never>(() => {});
    const child = spawn();
    children.add(child);
    child.exited.finally(() => children.delete(child));
    return child;
  }

  async function serve(name: string, command: (port: number) => readonly string[]) {
    const port = freePort();
    const log = join(folder, `${name}.log`);
    const output = openSync(log, 'a');
    const child = await adopt(() =>
      Bun.spawn([taskset, '-c', cores.server, ...command(port)], {
        cwd: folder,
        env: ownEnvironment(),
        stdin: 'ignore',
        stdout: output,
        stderr: output,
      }),
    );
    closeSync(output);
    const origin = `http://127.0.0.1:${port}`;
    const lastWords = () => `${name}: ${readFileSync(log, 'utf8').slice(-2_000)}`;
    await untilItResponds(origin, child, lastWords);
    return runningServer(origin, child, log);
  }

  async function run(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = await adopt(() =>
      Bun.spawn([taskset, '-c', cores.load, ...command], {
        cwd: folder,
        env: { ...ownEnvironment(), ...env },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'inherit',
        timeout: RUN_TIMEOUT_MS,
      }),
    );
    const [output, exitCode] = await Promise.all([child.stdout.text(), child.exited]);
    const cpuMilliseconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000;
    return { output, exitCode, cpuMilliseconds };
  }

  async function end(): Promise<void> {
    await Promise.all([...children].map(stop));
    await belongings.disposeAsync();
    rmSync(folder, { recursive: true, force: true });
  }

  function moveTo(chosen: Cores): void {
    cores = chosen;
    // This process samples responses, so it stays off the core of the servers too.
    Bun.spawnSync([taskset, '-a', '-c', '-p', cores.load, String(process.pid)]);
  }

  function close(): Promise<void> {
    closing ??= end();
    return closing;
  }

  exitOnSignals(close);
  moveTo(cores);
  return {
    folder,
    serve,
    run,
    moveTo,
    use: (belonging) => belongings.use(belonging),
    [Symbol.asyncDispose]: close,
  };
}

function runningServer(origin: string, child: Bun.Subprocess, log: string): RunningServer {
  return {
    origin,
    pid: child.pid,
    stop: () => stop(child),
    cpuMilliseconds: () => cpuMillisecondsOf(child.pid),
    clearLog: () => truncateSync(log),
  };
}

/** Closes before a signal ends the process, also for a second one. */
function exitOnSignals(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void close().finally(() => process.exit(130)));
  }
}

/** Returns the environment without settings of the service, which is measured as shipped. */
function ownEnvironment(): Record<string, string> {
  const all = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_'));
  return Object.fromEntries(all.map(([name, value]) => [name, value ?? '']));
}

async function untilItResponds(
  origin: string,
  child: Bun.Subprocess,
  lastWords: () => string,
): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      await (await fetch(origin + PROBE_PATH)).arrayBuffer();
      return;
    } catch {
      await Bun.sleep(POLL_MS);
    }
  }
  throw new Error(`a server did not start; ${lastWords()}`);
}

async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM');
  const late = Bun.sleep(STOP_TIMEOUT_MS).then(() => 'late');
  if ((await Promise.race([child.exited, late])) === 'late') child.kill('SIGKILL');
  await child.exited;
}
