import { SQL } from 'bun';
import { openStorage } from '../../src/storage/open.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import type { TestDatabase, TestEngine } from './test-database.ts';

const TEMPLATE = 'template_petstore';
const TABLES = 'pets, categories, orders, api_keys, sessions, allowances, idempotent_results';

/** What the template holds. */
interface Template {
  /** How many tables it has: a database that was moved has one more, which says so. */
  readonly tables: number;
  /** A query for the tables that have rows. */
  readonly filled: string;
  /** The rows after the migration, as JSON by their table, and the values of sequences. */
  readonly rows: readonly (readonly [table: string, json: string])[];
  readonly sequences: readonly (readonly [name: string, value: bigint | null])[];
}

/** State that all files of a test run share: Bun loads this module again for each file. */
interface Shared {
  server: Promise<PostgresServer> | undefined;
  template: Template | undefined;
  databases: number;
  /** Names of databases that are as the template is: to make one takes longer than to empty one. */
  readonly emptied: string[];
}

const KEY = Symbol.for('petstore.test.postgres');
// The symbol is our own, so nothing else uses it.
const everywhere = globalThis as { [KEY]?: Shared };
everywhere[KEY] ??= { server: undefined, template: undefined, databases: 0, emptied: [] };
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
  shared.template = await readTemplate(server.addressOf(TEMPLATE));
  return server;
}

async function readTemplate(address: string): Promise<Template> {
  const tables = await statement(address, ALL_TABLES);
  const filled = tables
    .map(
      ({ relname }) => `SELECT '${relname}' AS name, pg_relation_size('${relname}') AS bytes
        WHERE EXISTS (SELECT FROM ${relname})`,
    )
    .join(' UNION ALL ');
  const rows: [string, string][] = [];
  for (const { name } of await statement(address, filled)) {
    const query = `SELECT json_agg(t)::text AS rows FROM ${name} t`;
    const [all] = await statement(address, query);
    rows.push([String(name), String(all?.['rows'])]);
  }
  const sequences = await statement(address, SEQUENCES);
  return {
    tables: tables.length,
    filled,
    rows,
    sequences: sequences.map(({ name, value }) => [String(name), value as bigint | null]),
  };
}

const ALL_TABLES =
  "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
const SEQUENCES = 'SELECT sequencename AS name, last_value AS value FROM pg_sequences';

/** Rows of a small table are deleted, with their dead versions left until it is larger. */
const DELETED_BYTES_MAX = 262_144;

/** Makes a database what the template is, and returns true, unless it has other tables. */
async function empty(
  address: string,
  { tables: count, filled, rows, sequences }: Template,
): Promise<boolean> {
  await using client = new SQL(address, { max: 1, bigint: true });
  await client.unsafe(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  if ((await client.unsafe(ALL_TABLES)).length !== count) return false;
  // References hold when all of it is done. To truncate a table makes new files of it and of its indexes.
  const emptying = (await client.unsafe(filled)).map(
    ({ name, bytes }: { name: string; bytes: bigint }) =>
      bytes > DELETED_BYTES_MAX ? `TRUNCATE ${name} CASCADE;` : `DELETE FROM ${name};`,
  );
  await client.unsafe(`SET session_replication_role = replica; ${emptying.join(' ')}`);
  for (const [table, json] of rows) {
    await client.unsafe(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
       SELECT * FROM json_populate_recordset(NULL::${table}, $1::text::json)`,
      [json],
    );
  }
  const values = new Map(sequences);
  const setting = (await client.unsafe(SEQUENCES)).flatMap(
    ({ name, value }: { name: string; value: bigint | null }) => {
      const before = values.get(name) ?? null;
      return value === before ? [] : `setval('${name}', ${before ?? 1}, ${before !== null})`;
    },
  );
  if (setting.length > 0) await client.unsafe(`SELECT ${setting.join(', ')}`);
  return true;
}

/** Runs a statement on its own connection; integers are returned as `bigint`. */
export async function statement(address: string, text: string): Promise<Record<string, unknown>[]> {
  await using client = new SQL(address, { max: 1, bigint: true });
  return [...(await client.unsafe(text))];
}

/** Creates an empty database from a template or, without one, not even migrated; or takes one that is there. */
export async function createPostgresDatabase(
  server: PostgresServer,
  template = 'template1',
  existing?: string,
): Promise<TestDatabase> {
  const name = existing ?? `test_${++shared.databases}`;
  const admin = (text: string) => statement(server.addressOf('postgres'), text);
  // Copying files takes a tenth of the time that writing each page to the log takes, which is the default.
  if (existing === undefined)
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
  async createDatabase() {
    const server = await sharedServer();
    const { template, emptied } = shared;
    const database = await createPostgresDatabase(server, TEMPLATE, emptied.pop());
    let [isWhole, isGone] = [true, false];
    return {
      ...database,
      sql(text) {
        if (/\b(ALTER|CREATE|DROP)\b/i.test(text)) isWhole = false;
        return database.sql(text);
      },
      destroy() {
        isWhole = false;
        return database.destroy();
      },
      async [Symbol.asyncDispose]() {
        // Who started a service with it disposes of it too.
        if (isGone) return;
        isGone = true;
        isWhole &&= template !== undefined && (await empty(database.address, template));
        if (!isWhole) return database[Symbol.asyncDispose]();
        emptied.push(new URL(database.address).pathname.slice(1));
      },
    };
  },
};
