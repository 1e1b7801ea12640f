import { type Client, createClient } from './client.ts';
import { runPetstore, spawnPetstore } from './command-line.ts';

/** `petstore serve` as a process of its own, killed when it is disposed of, and a client with a key for it. */
export interface Serving extends AsyncDisposable {
  readonly child: ReturnType<typeof spawnPetstore>;
  readonly port: number;
  readonly client: Client;
  /** What the process wrote on standard output so far. */
  readonly output: () => string;
  /** What it wrote on standard error, once it has ended. */
  readonly errors: Promise<string>;
}

const LISTENING = /Serving on https?:\/\/127\.0\.0\.1:(\d+)\/v1/;

/** Makes a key, starts a server on a free port and waits until it serves. */
export async function startServing(
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Serving> {
  const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000'];
  const key = await createServingKey(settings, ...unlimited);
  return await serving(spawnPetstore(['serve', '--port', '0', ...args], settings), key);
}

/** Makes a key with the command line; gives its text. */
export async function createServingKey(
  settings: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<string> {
  const create = ['keys', 'create', '--name', 'a test', ...flags, '--json'];
  const { stdout } = await runPetstore(create, settings);
  const { key } = JSON.parse(stdout);
  return key;
}

/** Waits until a process that was started serves, for a client with a key. */
export async function serving(child: Serving['child'], key: string): Promise<Serving> {
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
