import { createInstance, type Instance } from '../cluster/instance.ts';
import { createServingKey, UNLIMITED } from '../support/serving.ts';
import type { TestDatabase } from '../support/test-database.ts';
import type { WritableServer } from './store-writers.ts';

/** A store that several processes serve. */
export interface ServedStore extends AsyncDisposable {
  readonly instances: readonly Instance[];
  /** The same, with a key that may write. */
  readonly servers: readonly WritableServer[];
  /** A key with this scope. */
  keyOf(scope: 'read' | 'admin'): Promise<string>;
}

/** As many processes as the engine is for. */
const PROCESSES: Readonly<Record<string, number>> = { sqlite: 2, postgres: 3 };

/** Starts the processes on a database, which belongs to the store from then on. */
export async function startServedStore(
  engine: string,
  created: TestDatabase,
  extra: Readonly<Record<string, string>> = {},
): Promise<ServedStore> {
  await using parts = new AsyncDisposableStack();
  const database = parts.use(created);
  const settings = {
    PETSTORE_DATABASE: database.address,
    PETSTORE_OPS_PORT: 'off',
    PETSTORE_LOG_LEVEL: 'error',
    // A machine busy with other tests must not cause refusals.
    ...extra,
  };
  const key = await createServingKey(settings, ...UNLIMITED, '--scopes', 'read,write');
  const instances = Array.from({ length: PROCESSES[engine] ?? 1 }, () =>
    parts.use(createInstance(settings)),
  );
  await Promise.all(instances.map(({ start }) => start()));
  const owned = parts.move();
  return {
    instances,
    servers: instances.map(({ url }) => ({ url, key })),
    keyOf: (scope) => createServingKey(settings, ...UNLIMITED, '--scopes', scope),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
