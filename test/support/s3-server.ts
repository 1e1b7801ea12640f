import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from './end-with-parent.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { goProgram } from './go-program.ts';
import { createTemporaryFolder } from './temporary.ts';

/** A server of the S3 protocol by other people, which keeps a bucket in a folder. */
const PACKAGE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

export interface S3Server extends AsyncDisposable {
  /** The folder with the files of the bucket `shop`. */
  readonly files: string;
  /** What the runtime reads from the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Ends the server, or starts it again on the same port and folder. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server with one bucket. The program is installed once, in a cache. */
export async function startS3Server(): Promise<S3Server> {
  const program = await goProgram(PACKAGE);
  const folder = createTemporaryFolder();
  const root = folder.file('buckets');
  mkdirSync(join(root, 'shop'), { recursive: true });
  const address = `127.0.0.1:${freePort()}`;
  let server: ReturnType<typeof Bun.spawn> | undefined;

  async function start(): Promise<void> {
    const options = ['--access', 'test', '--secret', 'test-secret', '--port', address];
    server = Bun.spawn(
      endWithParent([program, ...options, 'posix', '--sidecar', sidecar(), root]),
      {
        stdout: 'ignore',
        stderr: 'ignore',
      },
    );
    const answers = async () =>
      fetch(`http://${address}/`).then(
        () => true,
        () => false,
      );
    await eventually(answers, (isUp) => isUp);
  }
  /** File attributes may be missing where the tests run. */
  function sidecar(): string {
    const path = folder.file('attributes');
    mkdirSync(path, { recursive: true });
    return path;
  }
  async function stop(): Promise<void> {
    server?.kill('SIGKILL');
    await server?.exited;
  }

  await start();
  return {
    files: join(root, 'shop'),
    variables: {
      S3_ENDPOINT: `http://${address}`,
      S3_ACCESS_KEY_ID: 'test',
      S3_SECRET_ACCESS_KEY: 'test-secret',
      S3_REGION: 'us-east-1',
    },
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}
