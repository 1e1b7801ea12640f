import { Database } from 'bun:sqlite';
import { databaseAddress } from '../../src/storage/address.ts';
import type { Migration } from '../../src/storage/migrations.ts';
import { migrations as ofPostgres } from '../../src/storage/postgres/migrations.ts';
import { migrations as ofSqlite } from '../../src/storage/sqlite/migrations.ts';
import { APPLICATION_ID } from '../../src/storage/sqlite/schema.ts';
import type { TestDatabase } from '../support/engines.ts';

const isPostgres = ({ address }: TestDatabase) => databaseAddress(address).engine === 'postgres';
const migrationsOf = (database: TestDatabase): readonly Migration[] =>
  isPostgres(database) ? ofPostgres : ofSqlite;

/** The schema version of this release. */
export function newestVersion(database: TestDatabase): number {
  return migrationsOf(database).length;
}

/** Removes everything from a database, including its tables. */
export async function empty(database: TestDatabase): Promise<void> {
  if (isPostgres(database)) await database.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
}

/** Creates an empty production database with the schema of the previous release, or that before a migration. */
export async function makeOlder(database: TestDatabase, before?: string): Promise<void> {
  await empty(database);
  const all = migrationsOf(database);
  const end = before === undefined ? -1 : all.findIndex(({ name }) => name === before);
  const steps = all.slice(0, end);
  if (isPostgres(database)) {
    await database.sql('CREATE TABLE schema_versions (version integer PRIMARY KEY, name text)');
    for (const { version, name, sql } of steps) {
      await database.sql(sql);
      await database.sql(`INSERT INTO schema_versions VALUES (${version}, '${name}')`);
    }
  } else {
    using file = new Database(database.address.replace('sqlite:', ''), { create: true });
    for (const { sql } of steps) file.run(sql);
    file.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    file.run(`PRAGMA user_version = ${steps.length}`);
  }
  await database.sql("INSERT INTO deployment (environment) VALUES ('production')");
}

/** The schema version of a database. */
export async function versionOf(database: TestDatabase): Promise<number> {
  const [row] = await database.sql(
    isPostgres(database)
      ? 'SELECT max(version) AS version FROM schema_versions'
      : 'SELECT user_version AS version FROM pragma_user_version',
  );
  return Number(row?.['version']);
}
