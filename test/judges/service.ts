import { runPetstore } from '../command-line.ts';
import { startServing } from '../serving.ts';
import { createTemporaryFolder } from '../temporary.ts';

/** The service as people run it, for a judge that must meet no limit. */
export interface JudgedService extends AsyncDisposable {
  /** The root address, without a path. */
  readonly url: string;
  /** A key with every scope. */
  readonly key: string;
}

const PER_MINUTE = '1000000';
const PER_DAY = '100000000';

/** Starts a service of its own process on an empty database. */
export async function startJudgedService(): Promise<JudgedService> {
  const folder = createTemporaryFolder();
  const settings = {
    PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}`,
    PETSTORE_ANONYMOUS_PER_MINUTE: PER_MINUTE,
    PETSTORE_LOG_LEVEL: 'warn',
  };
  const plan = ['--plan', 'enterprise', '--per-minute', PER_MINUTE, '--per-day', PER_DAY];
  const create = ['keys', 'create', '--name', 'a judge', '--scopes', 'admin', '--json', ...plan];
  const { stdout } = await runPetstore(create, settings);
  const { key } = JSON.parse(stdout);
  const { child, port } = await startServing(settings);
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}
