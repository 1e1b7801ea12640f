import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { freePort } from './free-port.ts';
import { halt, kill } from './process-tree.ts';
import { createTemporaryFolder } from './temporary.ts';

/** A PostgreSQL server that tests have for themselves, and what may happen to one. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Its main process, which started all others. */
  pid(): number;
  /** The address of one of its databases. */
  addressOf(database: string): string;
  /**
   * Stops it: `fast` ends every session, `immediate` does so without a checkpoint. What this gives
   * starts it again.
   */
  stop(mode: 'fast' | 'immediate'): Promise<AsyncDisposable>;
  /** Ends the main process with SIGKILL, and waits until the others notice and end too. As `stop`. */
  kill(): Promise<AsyncDisposable>;
  /** Makes a standby take writes. */
  promote(): Promise<void>;
  /** Halts every process of it, as a machine that hangs does, until what this gives is disposed of. */
  pause(): Promise<Disposable>;
}

const DEBIAN = '/usr/lib/postgresql';
const USER = 'petstore';
/** As root it would refuse to run; Debian's package brings this user. */
const SERVICE_USER = 'postgres';
const START_TRIES = 50;

/** Where the programs of the newest installed PostgreSQL are, or undefined without one. */
export function postgresPrograms(): string | undefined {
  try {
    const newest = readdirSync(DEBIAN)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1);
    return newest === undefined ? undefined : `${DEBIAN}/${newest}/bin`;
  } catch {
    return undefined;
  }
}

/** A command line for a user that PostgreSQL accepts. */
function asServiceUser(command: readonly string[]): string[] {
  const prefix = process.getuid?.() === 0 ? ['runuser', '-u', SERVICE_USER, '--'] : [];
  return [...prefix, ...command];
}

/** Gives a file to the user as which servers run: they take no key that others could have written. */
export function giveToServer(path: string): void {
  if (process.getuid?.() === 0) Bun.spawnSync(['chown', SERVICE_USER, path]);
}

/** Runs a program; throws when it fails. */
async function run(...command: string[]): Promise<void> {
  // What pg_ctl starts keeps its output open, so that goes nowhere and its log to a file.
  const child = Bun.spawn(asServiceUser(command), { cwd: '/', stdout: 'ignore', stderr: 'ignore' });
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command.join(' ')} failed with ${code}`);
}

/** Settings of every server, as `fsync=off`. */
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
  // What a process wrote outlives its kill without fsync, and no test cuts the power.
  ...['max_connections=200', 'shared_buffers=32MB', 'fsync=off'],
];

/**
 * Starts a server with an empty cluster of its own on a free port of the loopback; `settings` as
 * `ssl=on`.
 */
export function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const cluster = ['-A', 'trust', '-U', USER, '-E', 'UTF8', '--locale=C', '--no-sync'];
  return startOn((programs, data) => run(`${programs}/initdb`, '-D', data, ...cluster), settings);
}

/** Starts a server that follows another one and takes no writes until it is promoted. */
export function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER];
  const copy = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  return startOn(
    (programs, data) => run(`${programs}/pg_basebackup`, ...source, ...copy, '-D', data),
    [],
  );
}

/** Starts a server on the cluster that `prepare` makes. */
async function startOn(
  prepare: (programs: string, data: string) => Promise<void>,
  settings: readonly string[],
): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error(`there is no PostgreSQL in ${DEBIAN}`);
  const folder = createTemporaryFolder();
  chmodSync(folder.path, 0o777);
  const data = folder.file('data');
  const port = freePort();
  const pgCtl = (...args: string[]) => run(`${programs}/pg_ctl`, '-D', data, ...args);
  const all = [`port=${port}`, ...SETTINGS, ...settings];
  const flags = all.map((setting) => `-c ${setting}`).join(' ');

  await prepare(programs, data);
  const stopping = ['-D', data, '-m', 'immediate', '-w', 'stop'];
  const watch = watchOver(folder.path, `${programs}/pg_ctl`, ...stopping);

  async function start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await pgCtl('-w', '-l', `${data}/log`, '-o', flags, 'start');
        return;
      } catch (error) {
        // After a kill the memory of the server before is in use until its last process ends.
        if (tries === START_TRIES) throw error;
        await Bun.sleep(50);
      }
    }
  }
  const pid = () => Number(readFileSync(`${data}/postmaster.pid`, 'utf8').split('\n')[0]);
  const away: AsyncDisposable = { [Symbol.asyncDispose]: start };
  await start();

  return {
    port,
    pid,
    addressOf: (database) => `postgres://${USER}@127.0.0.1:${port}/${database}`,
    async stop(mode) {
      await pgCtl('-m', mode, '-w', 'stop');
      return away;
    },
    async kill() {
      await kill(pid());
      return away;
    },
    promote: () => pgCtl('-w', 'promote'),
    pause: () => halt(pid()),
    async [Symbol.asyncDispose]() {
      watch.stdin.end();
      await watch.exited;
    },
  };
}

/**
 * Stops the server when the pipe to it closes: when the tests are done with the server, and when
 * their process ends in whatever way.
 */
function watchOver(folder: string, ...stop: string[]) {
  // An interruption of the tests goes to all of their group, and must not end the watch.
  const script = `trap '' INT TERM HUP
    cat
    pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
    if [ -n "$pid" ]; then kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children"); fi
    "$@"
    rm -rf "$0"`;
  const streams = { cwd: '/', stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' } as const;
  const child = Bun.spawn(['sh', '-c', script, folder, ...asServiceUser(stop)], streams);
  // The tests do not wait for a server that nobody stopped.
  child.unref();
  return child;
}
