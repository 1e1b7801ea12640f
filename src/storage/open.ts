import { existsSync } from 'node:fs';
import type { Environment } from '../domain/deployment.ts';
import type { Later } from '../domain/later.ts';
import type { Storage, StorageObserver } from '../domain/storage.ts';
import { databaseAddress } from './address.ts';
import { openSqliteStorage } from './sqlite/storage.ts';

/**
 * Opens, creates or migrates the database at an address. Throws `UnusableDatabase`. The engine that
 * most do without is loaded only here.
 */
export function openStorage(
  address: string,
  environment: Environment,
  observer?: StorageObserver,
): Later<Storage> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres') {
    return import('./postgres/storage.ts').then(({ openPostgresStorage }) =>
      openPostgresStorage(database.url, environment),
    );
  }
  return openSqliteStorage(database.path, environment, observer);
}

/**
 * Opens a database for work that writes nothing: a file that is not there yet is taken for an
 * empty database, and is not created. Throws `UnusableDatabase`.
 */
export function openStorageToRead(address: string, environment: Environment): Later<Storage> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres' || existsSync(database.path)) {
    return openStorage(address, environment);
  }
  return openSqliteStorage(':memory:', environment);
}
