import { type Client, createClient } from './client.ts';
import { runPetstore, spawnPetstore } from './command-line.ts';
import { TEST_WORKERS, untilAllListen } from './listeners.ts';

/** `petstore serve` in its own process, killed on disposal, with a client and its key. */
export interface Serving extends AsyncDisposable {
  readonly child: ReturnType<typeof spawnPetstore>;
  readonly port: number;
  readonly client: Client;
  /** The standard output so far. */
  readonly output: () => string;
  /** The standard error, once the process has ended. */
  readonly errors: Promise<string>;
}

/** Flags for a key whose limits no test reaches. */
export const UNLIMITED = [
  ...['--plan', 'enterprise'],
  ...['--per-minute', '100000000', '--per-day', '1000000000'],
];

const LISTENING = /Serving on https?:\/\/127\.0\.0\.1:(\d+)\/v1/;

/** Creates a key, starts a server on a free port and waits until it serves. */
export async function startServing(
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Serving> {
  const key = await createServingKey(settings, ...UNLIMITED);
  const child = spawnPetstore(['serve', '--port', '0', ...args], settings);
  const flag = args.indexOf('--workers');
  return await serving(child, key, flag === -1 ? TEST_WORKERS : Number(args[flag + 1]));
}

/** Creates a key with the command line and returns it. */
export async function createServingKey(
  settings: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<string> {
  const create = ['keys', 'create', '--name', 'a test', ...flags, '--json'];
  const { stdout } = await runPetstore(create, settings);
  const { key } = JSON.parse(stdout);
  return key;
}

/** Waits until a started process serves with all its workers; returns it with a client. */
export async function serving(
  child: Serving['child'],
  key: string,
  workers = TEST_WORKERS,
): Promise<Serving> {
  const listening = Promise.withResolvers<number>();
  const errors = child.stderr.text();
  let output = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk, { stream: true });
      const port = LISTENING.exec(output)?.[1];
      if (port !== undefined) listening.resolve(Number(port));
    }
    listening.reject(new Error(`it does not serve: ${output}${await errors}`));
  })();
  reading.catch(listening.reject);
  const port = await listening.promise;
  await untilAllListen(port, workers, () => child.exitCode !== null || child.killed);
  const client = createClient(() => `http://127.0.0.1:${port}`, key);
  return {
    ...{ child, port, client, errors },
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
