import { SQL } from 'bun';
import { openStorage } from '../../src/storage/open.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import type { TestDatabase, TestEngine } from './test-database.ts';

const TEMPLATE = 'template_petstore';
const TABLES =
  'pets, categories, orders, api_keys, sessions, allowances, status_changes, idempotent_results';

/** State that all files of a test run share: Bun loads this module again for each file. */
interface Shared {
  server: Promise<PostgresServer> | undefined;
  databases: number;
}

const KEY = Symbol.for('petstore.test.postgres');
// The symbol is our own, so nothing else uses it.
const everywhere = globalThis as { [KEY]?: Shared };
everywhere[KEY] ??= { server: undefined, databases: 0 };
const shared = everywhere[KEY];

/** The server of this test run, with a migrated, otherwise empty template database. */
function sharedServer(): Promise<PostgresServer> {
  shared.server ??= startShared();
  return shared.server;
}

async function startShared(): Promise<PostgresServer> {
  const server = await startPostgres();
  await statement(server.addressOf('postgres'), `CREATE DATABASE ${TEMPLATE}`);
  const storage = await openStorage(server.addressOf(TEMPLATE), 'production');
  await storage.close();
  // The test chooses the deployment.
  await statement(server.addressOf(TEMPLATE), 'DELETE FROM deployment');
  return server;
}

/** Runs a statement on its own connection; integers are returned as `bigint`. */
export async function statement(address: string, text: string): Promise<Record<string, unknown>[]> {
  await using client = new SQL(address, { max: 1, bigint: true });
  return [...(await client.unsafe(text))];
}

/** Creates an empty database from a template or, without one, not even migrated. */
export async function createPostgresDatabase(
  server: PostgresServer,
  template = 'template1',
): Promise<TestDatabase> {
  const name = `test_${++shared.databases}`;
  const admin = (text: string) => statement(server.addressOf('postgres'), text);
  // Copying files takes a tenth of the time that writing each page to the log takes, which is the default.
  await admin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const address = server.addressOf(name);

  return {
    address,
    sql: (text) => statement(address, text),
    async holdWrites() {
      const client = new SQL(address, { max: 1 });
      const session = await client.reserve();
      await session.unsafe('BEGIN');
      await session.unsafe(`LOCK TABLE ${TABLES} IN EXCLUSIVE MODE`);
      return {
        async [Symbol.asyncDispose]() {
          await session.unsafe('ROLLBACK');
          session.release();
          await client.close();
        },
      };
    },
    destroy: async () => void (await admin(`DROP DATABASE ${name} WITH (FORCE)`)),
    [Symbol.asyncDispose]: async () =>
      void (await admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** PostgreSQL as Debian installs it. */
export const postgres: TestEngine = {
  name: 'postgres',
  createDatabase: async () => createPostgresDatabase(await sharedServer(), TEMPLATE),
};
