import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { freePort } from './free-port.ts';
import { halt, kill } from './process-tree.ts';
import { createTemporaryFolder } from './temporary.ts';

/** A PostgreSQL server for tests, with ways to stop, kill and promote it. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** The folder of its data. */
  readonly data: string;
  /** The main process, which started all others. */
  pid(): number;
  /** The address of one of its databases. */
  addressOf(database: string): string;
  /**
   * Stops the server: `fast` ends every session, `immediate` does so without a checkpoint. Returns
   * a function that starts it again.
   */
  stop(mode: 'fast' | 'immediate'): Promise<AsyncDisposable>;
  /** Kills the main process and waits until the others have ended too. Returns as `stop` does. */
  kill(): Promise<AsyncDisposable>;
  /** Promotes a standby, so that it accepts writes. */
  promote(): Promise<void>;
  /** Halts every process, as on a machine that hangs, until the result is disposed of. */
  pause(): Promise<Disposable>;
}

const DEBIAN = '/usr/lib/postgresql';
const USER = 'petstore';
/** PostgreSQL refuses to run as root; Debian's package creates this user. */
const SERVICE_USER = 'postgres';
const START_TRIES = 50;

/** The program folder of the newest installed PostgreSQL, or undefined. */
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

/** A command line that runs as a user PostgreSQL accepts. */
export function asServiceUser(command: readonly string[]): string[] {
  const prefix = process.getuid?.() === 0 ? ['runuser', '-u', SERVICE_USER, '--'] : [];
  return [...prefix, ...command];
}

/** Gives a file to the server's user: PostgreSQL refuses a key that others can write. */
export function giveToServer(path: string): void {
  if (process.getuid?.() === 0) Bun.spawnSync(['chown', SERVICE_USER, path]);
}

/** Runs a program; throws if it fails. */
async function run(...command: string[]): Promise<void> {
  // Processes that pg_ctl starts keep its output open, so it is discarded and logged to a file.
  const child = Bun.spawn(asServiceUser(command), { cwd: '/', stdout: 'ignore', stderr: 'ignore' });
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command.join(' ')} failed with ${code}`);
}

/** Settings of every server, in the form `fsync=off`. */
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
  // Data written by a killed process survives without fsync, and no test cuts the power.
  ...['max_connections=200', 'shared_buffers=32MB', 'fsync=off'],
];

/**
 * Starts a server with its own empty cluster on a free loopback port; `settings` in the form
 * `ssl=on`.
 */
export function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const cluster = ['-A', 'trust', '-U', USER, '-E', 'UTF8', '--locale=C', '--no-sync', '-k'];
  return startOn((programs, data) => run(`${programs}/initdb`, '-D', data, ...cluster), settings);
}

/** Starts a standby that follows another server and is read-only until promoted. */
export function startStandby(
  primary: PostgresServer,
  ...settings: string[]
): Promise<PostgresServer> {
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER];
  const copy = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  return startOn(
    (programs, data) => run(`${programs}/pg_basebackup`, ...source, ...copy, '-D', data),
    settings,
  );
}

/** Starts a server on a copy of a base backup, which recovers as the settings say. */
export function startRecovered(base: string, ...settings: string[]): Promise<PostgresServer> {
  return startOn(async (_, data) => {
    await run('cp', '-a', base, data);
    await run('touch', `${data}/recovery.signal`);
  }, settings);
}

/** Starts a server on the cluster that `prepare` creates. */
async function startOn(
  prepare: (programs: string, data: string) => Promise<void>,
  settings: readonly string[],
): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('install PostgreSQL (apt-get install postgresql)');
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
        // After a kill, the old server's shared memory is in use until its last process ends.
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
    data,
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
 * Stops the server when the pipe to it closes: when the tests are done with it, or when
 * their process ends for any reason.
 */
function watchOver(folder: string, ...stop: string[]) {
  // An interrupt goes to the whole process group of the tests, and must not end this watcher.
  const script = `trap '' INT TERM HUP
    cat
    pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
    if [ -n "$pid" ]; then kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children"); fi
    "$@"
    rm -rf "$0"`;
  const streams = { cwd: '/', stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' } as const;
  const child = Bun.spawn(['sh', '-c', script, folder, ...asServiceUser(stop)], streams);
  // The tests do not wait for a server that was never stopped.
  child.unref();
  return child;
}
