import { databaseAddress } from '../../src/storage/address.ts';
import type { TestDatabase } from '../support/engines.ts';

const isPostgres = ({ address }: TestDatabase) => databaseAddress(address).engine === 'postgres';

/** Removes everything from a database, including its tables. */
export async function empty(database: TestDatabase): Promise<void> {
  if (isPostgres(database)) await database.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
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
