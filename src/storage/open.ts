import type { Environment } from '../domain/deployment.ts';
import type { Storage, StorageObserver } from '../domain/storage.ts';
import { databaseAddress } from './address.ts';
import type { Opening } from './opening.ts';
import { openSqliteStorage } from './sqlite/storage.ts';
import { NoDatabase } from './unusable.ts';

/**
 * Opens the database at an address; unless `opening` says otherwise, creates or migrates it as
 * needed. Throws `UnusableDatabase`. Loads the PostgreSQL engine only when needed.
 */
export async function openStorage(
  address: string,
  environment: Environment,
  opening: Opening = {},
  observer?: StorageObserver,
): Promise<Storage> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres') {
    const { openPostgresStorage } = await import('./postgres/storage.ts');
    return openPostgresStorage(database.url, environment, opening);
  }
  return openSqliteStorage(database.path, environment, opening, observer);
}

/**
 * Opens a database for a rehearsal, which writes nothing; uses one in memory if there is no database
 * yet. Throws `UnusableDatabase`.
 */
export async function openStorageToRehearse(
  address: string,
  environment: Environment,
): Promise<Storage> {
  try {
    return await openStorage(address, environment, { access: 'read' });
  } catch (error) {
    if (!(error instanceof NoDatabase)) throw error;
    return openSqliteStorage(':memory:', environment);
  }
}
