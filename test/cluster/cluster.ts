import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { startValkey, type ValkeyServer } from '../limits/valkey-server.ts';
import { type Client, createClient } from '../support/client.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createServingKey, UNLIMITED } from '../support/serving.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { haproxy } from './haproxy.ts';
import { createInstance, type Instance } from './instance.ts';
import { type ProxyServer, startProxy } from './proxy-server.ts';
import { expectFromCluster } from './responses.ts';

/** Three instances on one PostgreSQL and one Valkey, behind HAProxy with the shipped configuration. */
export interface Cluster extends AsyncDisposable {
  readonly instances: readonly [Instance, Instance, Instance];
  readonly proxy: ProxyServer;
  readonly postgres: PostgresServer;
  readonly valkey: ValkeyServer;
  readonly database: TestDatabase;
  /** The settings of all instances, also for commands on the same database. */
  readonly settings: Readonly<Record<string, string>>;
  /** The database, opened by the test process. */
  readonly storage: Storage;
  /** Sends requests through the proxy, with an unlimited key. */
  readonly client: Client;
  /** Sends requests with a key: through the proxy, or directly to an instance. */
  clientOf(key: string, instance?: Instance): Client;
}

const SHUTDOWN_DELAY = '3s';

/** Starts a cluster and waits until it is ready. */
export async function startCluster(): Promise<Cluster> {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startPostgres());
  const valkey = parts.use(await startValkey());
  const database = parts.use(await createPostgresDatabase(server));
  const settings = {
    PETSTORE_DATABASE: database.address,
    PETSTORE_LIMITS: valkey.address,
    PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
    PETSTORE_SHUTDOWN_DELAY: SHUTDOWN_DELAY,
    PETSTORE_LOG_LEVEL: 'warn',
    PETSTORE_OPS_PORT: 'off',
    // A machine busy with other tests must not cause refusals.
  };
  const instance = () => parts.use(createInstance(settings));
  const instances = [instance(), instance(), instance()] as const;
  // All at once, on an empty database: they race to migrate it.
  await Promise.all(instances.map(({ start }) => start()));
  const ports = instances.map(({ port }) => port);
  const proxy = parts.use(await startProxy(haproxy, ports));
  const unlimitedKey = await createServingKey(settings, ...UNLIMITED);
  const storage = await openStorage(database.address, 'production');
  parts.defer(() => storage.close());
  const clientOf = (key: string, instance?: Instance) =>
    createClient(() => (instance ?? proxy).url, key, expectFromCluster);
  const owned = parts.move();

  return {
    instances,
    proxy,
    postgres: server,
    valkey,
    database,
    settings,
    storage,
    client: clientOf(unlimitedKey),
    clientOf,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
