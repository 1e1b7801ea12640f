import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';

/** A network of its own for each of the cluster's hosts. A cut drops packets, as a pulled cable does. */
export interface Host {
  readonly name: string;
  /** A folder that the programs of the host may write to. */
  readonly folder: string;
  /** Starts a program as an unprivileged user. Its output is appended to a log file. */
  run(command: readonly string[], settings: Readonly<Record<string, string>>): void;
  /** Kills every process at once, or only those of a program. */
  kill(program?: string): Promise<void>;
  /** Halts every process, until the result is disposed of. */
  halt(): Promise<Disposable>;
  /** Cuts the host's network, until the result is disposed of. */
  cut(): Disposable;
  /** Everything that its programs printed. */
  log(): string;
}

/** Mounted in memory, and gone with the namespace that the tests run in. */
const ROOT = '/run/failover';
const SERVICE_USER = 'postgres';
const SUBNET = '10.77.0';

function ip(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['ip', ...args]);
  if (exitCode !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
  return stdout.toString();
}

/** Connects hosts with these names to each other and to this process, and makes their names known. */
export function createHosts(names: readonly string[]): Host[] {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'switch', 'type', 'bridge');
  ip('address', 'add', `${SUBNET}.254/24`, 'dev', 'switch');
  ip('link', 'set', 'switch', 'up');
  const known = names.map((name, i) => `${SUBNET}.${i + 1} ${name}\n`);
  writeFileSync('/etc/hosts', `127.0.0.1 localhost\n${known.join('')}`);
  return names.map((name, i) => createHost(name, `${SUBNET}.${i + 1}`));
}

function createHost(name: string, address: string): Host {
  const cable = `to-${name}`;
  ip('netns', 'add', name);
  ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
  ip('-n', name, 'link', 'set', 'eth0', 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
  ip('link', 'set', cable, 'master', 'switch', 'up');
  const folder = `${ROOT}/${name}`;
  const logPath = `${ROOT}/${name}.log`;
  mkdirSync(folder, { recursive: true });
  Bun.spawnSync(['chown', SERVICE_USER, folder]);

  const pids = () => ip('netns', 'pids', name).split('\n').filter(Boolean).map(Number);
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of pids()) send(pid, signal);
  };

  return {
    name,
    folder,
    run(command, settings) {
      const output = openSync(logPath, 'a');
      const user = ['--reuid', SERVICE_USER, '--regid', SERVICE_USER, '--clear-groups', '--'];
      // PostgreSQL refuses a data folder that others can read, and Patroni 3.0 creates one.
      const shell = ['sh', '-c', 'umask 077; exec "$@"', name];
      Bun.spawn(['ip', 'netns', 'exec', name, 'setpriv', ...user, ...shell, ...command], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...settings },
        stdin: 'ignore',
        stdout: output,
        stderr: output,
      }).unref();
    },
    async kill(program) {
      const left = () => pids().filter((pid) => program === undefined || nameOf(pid) === program);
      // A process may start another one just before it is killed.
      await eventually(
        () => {
          const found = left();
          for (const pid of found) send(pid, 'SIGKILL');
          return found;
        },
        (found) => found.length === 0,
      );
    },
    async halt() {
      await eventually(
        () => {
          signalAll('SIGSTOP');
          return pids().every(isHalted);
        },
        (all) => all,
      );
      return { [Symbol.dispose]: () => signalAll('SIGCONT') };
    },
    cut() {
      ip('link', 'set', cable, 'down');
      return { [Symbol.dispose]: () => void ip('link', 'set', cable, 'up') };
    },
    log: () => readFileSync(logPath, 'utf8'),
  };
}

/** Sends a signal to a process that may have ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The program of a process; undefined if it is gone. */
function nameOf(pid: number): string | undefined {
  return /\((.*)\)/.exec(statOf(pid))?.[1];
}

/** True if a process is stopped or gone. */
function isHalted(pid: number): boolean {
  return !/\) [^TZ]/.test(statOf(pid));
}

/** The status of a process (proc(5)); empty if it is gone. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
