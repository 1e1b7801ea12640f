import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { migrations } from '../../src/storage/postgres/migrations.ts';
import { createPool } from '../../src/storage/postgres/pool.ts';
import { createConnect } from '../../src/storage/postgres/primary.ts';
import { UnusableDatabase } from '../../src/storage/unusable.ts';
import { createPostgresDatabase, statement } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** Tries to open a database and returns the message of the refusal. */
async function refusalOf(address: string, environment: 'production' | 'staging' = 'production') {
  try {
    const storage = await openStorage(address, environment);
    await storage.close();
  } catch (error) {
    if (error instanceof UnusableDatabase) return error.message;
    throw error;
  }
  throw new Error('the database was opened');
}

describe('opening a PostgreSQL database', () => {
  let server: PostgresServer;
  let database: TestDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await createPostgresDatabase(server);
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  test('ten instances that start at once create one schema', async () => {
    const opening = Array.from({ length: 10 }, () => openStorage(database.address, 'staging'));
    const storages = await Promise.all(opening);
    await Promise.all(storages.map((storage) => storage.ping()));
    await Promise.all(storages.map((storage) => storage.close()));
    const versions = await database.sql('SELECT version FROM schema_versions ORDER BY version');
    expect(versions.map(({ version }) => version)).toEqual(migrations.map((one) => one.version));
    expect(await database.sql('SELECT environment FROM deployment')).toEqual([
      { environment: 'staging' },
    ]);
  }, 60_000);

  test('a database of the other deployment is refused', async () => {
    const message = await refusalOf(database.address);
    expect(message).toMatch(/belongs to the staging deployment.*--environment staging/);
  });

  test('a database with a newer schema is refused, and left as it was', async () => {
    const version = migrations.length + 1;
    await database.sql(`INSERT INTO schema_versions VALUES (${version}, 'later')`);
    const message = await refusalOf(database.address, 'staging');
    expect(message).toContain(`schema version ${version}`);
    await database.sql(`DELETE FROM schema_versions WHERE version = ${version}`);
    await (await openStorage(database.address, 'staging')).close();
  });

  test('a database of another program is refused, and left as it was', async () => {
    const other = await createPostgresDatabase(server);
    await other.sql('CREATE TABLE pets (id integer)');
    expect(await refusalOf(other.address)).toMatch(/another program/);
    const tables = await other.sql(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables).toHaveLength(1);
  });

  test('a missing database and a missing server are refused', async () => {
    expect(await refusalOf(server.addressOf('nowhere'))).toMatch(/cannot be reached.*nowhere/);
    const message = await refusalOf('postgres://petstore:s3cr3t@127.0.0.1:1/petstore');
    expect(message).toMatch(/petstore:\*\*\*@127\.0\.0\.1:1\/petstore cannot be reached/);
  });

  test('no animal matches a name with a NUL', async () => {
    const storage = await openStorage(database.address, 'staging');
    const page = { afterId: undefined, limit: 1 };
    const found = await storage.pets.list({ nameFolded: 'a\0' }, page);
    await storage.close();
    expect(found).toEqual({ items: [], more: false });
  });

  test.each([
    ['off', 'on'],
    ['remote_write', 'remote_write'],
  ])('a database with synchronous_commit = %s is used with %s', async (by, expected) => {
    await using own = await createPostgresDatabase(server);
    const name = new URL(own.address).pathname.slice(1);
    await own.sql(`ALTER DATABASE ${name} SET synchronous_commit = ${by}`);
    const connection = await createConnect(own.address)();
    const shown = await connection.query('SHOW synchronous_commit');
    connection.end();
    expect(shown).toEqual([{ synchronous_commit: expected }]);
  });

  test('a pool whose timeout passed while the process was busy emits no process warning', async () => {
    const pool = createPool(() => createConnect(database.address)());
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    await pool.run(() => Promise.resolve(), -1).catch(() => undefined);
    await Bun.sleep(10);
    process.off('warning', note);
    await pool.close();
    expect(warnings).toEqual([]);
  });

  test('a user who may not create tables gets an error that says so', async () => {
    const empty = await createPostgresDatabase(server);
    await empty.sql('CREATE ROLE guest LOGIN');
    const address = empty.address.replace('petstore@', 'guest@');
    expect(await statement(address, 'SELECT 1 AS one')).toHaveLength(1);
    expect(await refusalOf(address)).toMatch(/may not create tables/);
  });
});
