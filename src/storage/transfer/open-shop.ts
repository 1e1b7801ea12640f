import type { Environment } from '../../domain/deployment.ts';
import type { Later } from '../../domain/later.ts';
import { databaseAddress, hidePasswords } from '../address.ts';
import { openPostgresSource, openPostgresTarget } from '../postgres/open-shop.ts';
import type { Shop } from '../shop.ts';
import { openBackupFile } from '../sqlite/backup-file.ts';
import { nameOf, openSqliteSource, openSqliteTarget } from '../sqlite/open-shop.ts';

/** What the shop at an address is called: without a password, the same from every folder. */
export function addressName(address: string): string {
  const database = databaseAddress(address);
  return database.engine === 'postgres' ? hidePasswords(database.url) : nameOf(database.path);
}

/** Opens the shop at an address, sealed or not. Throws `UnusableDatabase`, also where there is none. */
export function openSource(address: string): Later<Shop> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres') return openPostgresSource(database.url);
  return openSqliteSource(database.path);
}

/**
 * Opens a database to put a shop into it, creating or migrating it as needed; nobody else may have
 * it open. Throws `UnusableDatabase`.
 */
export function openTarget(address: string, environment: Environment): Later<Shop> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres') return openPostgresTarget(database.url, environment);
  return openSqliteTarget(database.path, environment);
}

/** Opens a file that `backUp` wrote; it stays as it is. Throws `UnusableDatabase`. */
export function openBackup(path: string): Promise<Shop> {
  return openBackupFile(path);
}
