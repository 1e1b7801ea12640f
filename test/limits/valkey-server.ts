import { RedisClient, type Subprocess } from 'bun';
import { endWithParent } from '../support/end-with-parent.ts';
import { freePort } from '../support/free-port.ts';
import { programPath } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** A Valkey or Redis server for one test, on a free port of the loopback address. */
export interface ValkeyServer extends AsyncDisposable {
  /** The value for PETSTORE_LIMITS. */
  readonly address: string;
  /** Its process, which changes with each start. */
  pid(): number;
  /** Runs a command on a separate connection. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Kills it. The returned function starts it again, on the same port, empty. */
  kill(): Promise<AsyncDisposable>;
  /** Pauses it until the result is disposed of: connections stay open, without any reply. */
  pause(): Disposable;
}

const READY_MS = 10_000;

/** Starts a server; `flags` as its command line takes them, where `--requirepass PASSWORD` is understood. */
export async function startValkey(...flags: string[]): Promise<ValkeyServer> {
  const program = programPath('redis-server', 'valkey-server', 'redis-server');
  const folder = createTemporaryFolder();
  const port = freePort();
  const address = `redis://127.0.0.1:${port}`;
  const passwordAt = flags.indexOf('--requirepass') + 1;
  const user = passwordAt === 0 ? '' : `:${flags[passwordAt]}@`;
  let process: Subprocess;

  async function command(name: string, ...args: string[]): Promise<unknown> {
    const options = { autoReconnect: false, enableOfflineQueue: false };
    const client = new RedisClient(address.replace('//', `//${user}`), options);
    try {
      await client.connect();
      return await client.send(name, args);
    } finally {
      client.close();
    }
  }

  async function start(): Promise<void> {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path];
    const stored = ['--save', '', '--appendonly', 'no'];
    const whole = endWithParent([program, ...own, ...stored, ...flags]);
    process = Bun.spawn(whole, { stdout: 'ignore' });
    const deadline = performance.now() + READY_MS;
    while (performance.now() < deadline) {
      const response = await command('PING').catch(() => undefined);
      if (response === 'PONG') return;
      await Bun.sleep(20);
    }
    throw new Error('the server did not come up');
  }

  async function kill(): Promise<AsyncDisposable> {
    process.kill('SIGKILL');
    await process.exited;
    return { [Symbol.asyncDispose]: start };
  }

  await start();
  return {
    address,
    pid: () => process.pid,
    command,
    kill,
    pause() {
      process.kill('SIGSTOP');
      return { [Symbol.dispose]: () => process.kill('SIGCONT') };
    },
    async [Symbol.asyncDispose]() {
      await kill();
      folder[Symbol.dispose]();
    },
  };
}
