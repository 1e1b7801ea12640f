import { type Client, createClient } from './client.ts';
import { runHere, spawnPetstore } from './command-line.ts';

/** `petstore serve` in its own process, killed on disposal, with a client and its key. */
export interface Serving extends AsyncDisposable {
  readonly child: ReturnType<typeof spawnPetstore>;
  readonly port: number;
  readonly client: Client;
  /** The standard output so far: the log. */
  readonly output: () => string;
  /** The addresses, as they were announced on standard error. */
  readonly announced: () => string;
  /** The rest of standard error, once the process has ended. */
  readonly errors: Promise<string>;
}

/** Flags for a key whose limits no test reaches. */
export const UNLIMITED = [
  ...['--plan', 'enterprise'],
  ...['--per-minute', '100000000', '--per-day', '1000000000'],
];

const LISTENING = /^Serving on https?:\/\/127\.0\.0\.1:(\d+)\/v1\n(?:Metrics on .*\n)?/m;

/** Creates a key, starts a server on a free port and waits until it serves. */
export async function startServing(
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Serving> {
  const key = await createServingKey(settings, ...UNLIMITED);
  const child = spawnPetstore(['serve', '--port', '0', ...args], settings);
  return await serving(child, key);
}

/** Creates a key with the command line and returns it. */
export async function createServingKey(
  settings: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<string> {
  const create = ['keys', 'create', '--name', 'a test', ...flags, '--json'];
  const { stdout } = await runHere(create, settings);
  const { key } = JSON.parse(stdout);
  return key;
}

/** Waits until a started process serves ; returns it with a client. */
export async function serving(child: Serving['child'], key: string): Promise<Serving> {
  const listening = Promise.withResolvers<number>();
  let output = '';
  let allErrors = '';
  const readingOutput = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true });
  })();
  const errors = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      allErrors += decoder.decode(chunk, { stream: true });
      const port = LISTENING.exec(allErrors)?.[1];
      if (port !== undefined) listening.resolve(Number(port));
    }
    await readingOutput;
    listening.reject(new Error(`it does not serve: ${output}${allErrors}`));
    return allErrors.replace(LISTENING, '');
  })();
  errors.catch(listening.reject);
  const port = await listening.promise;
  const client = createClient(() => `http://127.0.0.1:${port}`, key);
  return {
    child,
    port,
    client,
    errors,
    output: () => output,
    announced: () => LISTENING.exec(allErrors)?.[0] ?? '',
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
