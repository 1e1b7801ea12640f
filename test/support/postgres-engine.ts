import { SQL } from 'bun';
import { openStorage } from '../../src/storage/open.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';
import type { TestDatabase, TestEngine } from './test-database.ts';

const TEMPLATE = 'template_petstore';
const TABLES = 'pets, categories, orders, api_keys, allowances, status_changes, idempotent_results';

/** What all files of a test run share: Bun loads this module anew for each. */
interface Shared {
  server: Promise<PostgresServer> | undefined;
  databases: number;
}

const KEY = Symbol.for('petstore.test.postgres');
// A symbol of our own, so nothing else stands there.
const everywhere = globalThis as { [KEY]?: Shared };
everywhere[KEY] ??= { server: undefined, databases: 0 };
const shared = everywhere[KEY];

/** The server of this test run, with a template that is migrated and otherwise empty. */
function sharedServer(): Promise<PostgresServer> {
  shared.server ??= startShared();
  return shared.server;
}

async function startShared(): Promise<PostgresServer> {
  const server = await startPostgres();
  await statement(server.addressOf('postgres'), `CREATE DATABASE ${TEMPLATE}`);
  const storage = await openStorage(server.addressOf(TEMPLATE), 'production');
  await storage.close();
  // Which deployment it belongs to is for the test to say.
  await statement(server.addressOf(TEMPLATE), 'DELETE FROM deployment');
  return server;
}

/** Runs a statement through a connection of its own; integers come back as `bigint`. */
export async function statement(address: string, text: string): Promise<Record<string, unknown>[]> {
  await using client = new SQL(address, { max: 1, bigint: true });
  return [...(await client.unsafe(text))];
}

/** An empty database of a server, made from a template or, without one, not even migrated. */
export async function createPostgresDatabase(
  server: PostgresServer,
  template = 'template1',
): Promise<TestDatabase> {
  const name = `test_${++shared.databases}`;
  const admin = (text: string) => statement(server.addressOf('postgres'), text);
  await admin(`CREATE DATABASE ${name} TEMPLATE ${template}`);
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

/** PostgreSQL as Debian installs it; undefined where it is not installed. */
export const postgres: TestEngine | undefined =
  postgresPrograms() === undefined
    ? undefined
    : {
        name: 'postgres',
        createDatabase: async () => createPostgresDatabase(await sharedServer(), TEMPLATE),
      };
