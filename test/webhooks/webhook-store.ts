import { type ServedStore, startServedStore } from '../events/served-store.ts';
import type { TestEngine } from '../support/engines.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

/** A store that delivers to receivers on this machine, and can be broken. */
export interface WebhookStore extends ServedStore {
  readonly adminKey: string;
  /** The database server, which only this store uses; undefined on SQLite. */
  readonly postgres: PostgresServer | undefined;
}

/** Short waits keep a run short. With this number of them no attempt is the last. */
const SCHEDULE = '0s,1s,1s'.concat(',0s,1s,1s'.repeat(9));

/** Starts the store on a new database of this engine. */
export async function startWebhookStore(engine: TestEngine): Promise<WebhookStore> {
  await using parts = new AsyncDisposableStack();
  const postgres = engine.name === 'postgres' ? parts.use(await startPostgres()) : undefined;
  const database = await (postgres ? createPostgresDatabase(postgres) : engine.createDatabase());
  const store = parts.use(
    await startServedStore(engine.name, database, {
      PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
      PETSTORE_WEBHOOK_SCHEDULE: SCHEDULE,
    }),
  );
  const adminKey = await store.keyOf('admin');
  const owned = parts.move();
  return {
    ...store,
    adminKey,
    postgres,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
