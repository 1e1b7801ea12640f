import { createInstance } from '../cluster/instance.ts';
import type { TestEngine } from '../support/engines.ts';
import { createServingKey, UNLIMITED } from '../support/serving.ts';
import type { WritableServer } from './store-writers.ts';

/** A store that several processes serve. */
export interface MirroredStore extends AsyncDisposable {
  readonly servers: readonly WritableServer[];
  /** A key with the scope `read`. */
  readonly readKey: string;
}

/** As many processes as the engine is for. */
const PROCESSES: Readonly<Record<string, number>> = { sqlite: 2, postgres: 3 };

/** Starts the processes on a new database. */
export async function startMirroredStore(engine: TestEngine): Promise<MirroredStore> {
  await using parts = new AsyncDisposableStack();
  const database = parts.use(await engine.createDatabase());
  const settings = {
    PETSTORE_DATABASE: database.address,
    PETSTORE_OPS_PORT: 'off',
    PETSTORE_LOG_LEVEL: 'error',
    // A machine busy with other tests must not cause refusals.
    PETSTORE_MAX_QUEUE_MS: '10000',
  };
  const key = await createServingKey(settings, ...UNLIMITED, '--scopes', 'read,write');
  const readKey = await createServingKey(settings, ...UNLIMITED, '--scopes', 'read');
  const instances = Array.from({ length: PROCESSES[engine.name] ?? 1 }, () =>
    parts.use(createInstance(settings)),
  );
  await Promise.all(instances.map(({ start }) => start()));
  const owned = parts.move();
  return {
    servers: instances.map(({ url }) => ({ url, key })),
    readKey,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
