import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from '../support/end-with-parent.ts';
import { goProgram } from '../support/go-program.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** The version that the example names. */
const PACKAGE = 'github.com/benbjohnson/litestream/cmd/litestream@v0.5.18';
const EXAMPLE = join(import.meta.dir, '../../examples/litestream.yml');

/** Litestream with the configuration of the example, but for its paths and addresses. */
export interface Litestream extends AsyncDisposable {
  /** The path of the database. */
  readonly database: string;
  readonly s3: S3Server;
  /** Starts to copy the database. */
  replicate(): Bun.Subprocess<'ignore', 'ignore', 'ignore'>;
  /** Restores the newest state into a new file, and returns its path. Throws what Litestream says if it fails. */
  restore(): Promise<string>;
}

/** Prepares a bucket and a folder. The program is built at its first use. */
export async function prepareLitestream(): Promise<Litestream> {
  const program = await goProgram(PACKAGE);
  await using parts = new AsyncDisposableStack();
  const s3 = parts.use(await startS3Server());
  const folder = parts.use(createTemporaryFolder());
  const configuration = folder.file('litestream.yml');
  const text = readFileSync(EXAMPLE, 'utf8')
    .replaceAll('/var/lib/petstore', folder.path)
    .replaceAll('https://s3.example', s3.variables['S3_ENDPOINT'] ?? '');
  writeFileSync(configuration, text);
  const env = {
    LITESTREAM_ACCESS_KEY_ID: s3.variables['S3_ACCESS_KEY_ID'],
    LITESTREAM_SECRET_ACCESS_KEY: s3.variables['S3_SECRET_ACCESS_KEY'],
  };
  const database = folder.file('petstore.db');
  let restored = 0;
  const owned = parts.move();

  return {
    database,
    s3,
    replicate() {
      const command = endWithParent([program, 'replicate', '-config', configuration]);
      return Bun.spawn(command, { env, stdio: ['ignore', 'ignore', 'ignore'] });
    },
    async restore() {
      const copy = folder.file(`copy-${++restored}.db`);
      const command = [program, 'restore', '-config', configuration, '-o', copy, database];
      const child = Bun.spawn(['sh', '-c', 'umask 077; exec "$@"', 'sh', ...command], {
        env,
        stdout: 'ignore',
        stderr: 'pipe',
      });
      const errors = await child.stderr.text();
      if ((await child.exited) !== 0) throw new Error(errors);
      return copy;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
