import { spawnPetstore } from '../support/command-line.ts';
import { createServingKey, serving, UNLIMITED } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** A service in its own process, with limits that no suite reaches. */
export interface ServiceUnderTest extends AsyncDisposable {
  /** The root address, without a path. */
  readonly url: string;
  /** A key with every scope. */
  readonly key: string;
}

/** Settings for a service on a database, with limits that no suite reaches. */
export function unlimitedSettings(database: string): Readonly<Record<string, string>> {
  return {
    PETSTORE_DATABASE: database,
    PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
    // A machine busy with other suites must not cause refusals.
    PETSTORE_LOG_LEVEL: 'warn',
  };
}

/** Creates a key with every scope, and with limits that no suite reaches. */
export async function createUnlimitedKey(
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  return await createServingKey(settings, '--scopes', 'admin', ...UNLIMITED);
}

/** Starts a service in its own process on an empty database. */
export async function startServiceUnderTest(): Promise<ServiceUnderTest> {
  const folder = createTemporaryFolder();
  const settings = unlimitedSettings(`sqlite:${folder.file('petstore.db')}`);
  const key = await createUnlimitedKey(settings);
  const { child, port } = await serving(spawnPetstore(['serve', '--port', '0'], settings), key);
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
