import type { Environment } from '../../domain/deployment.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import { databaseAddress } from '../address.ts';
import type { Opening } from '../opening.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { openPostgresSource, openPostgresTarget } from '../postgres/open-portable.ts';
import { openSqliteSource, openSqliteTarget } from '../sqlite/open-portable.ts';

/** Opens the database at an address, fenced or not. Throws `UnusableDatabase`, also if it is missing. */
export function openSource(
  address: string,
  access: 'change' | 'read' = 'change',
): MaybePromise<PortableDatabase> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres') return openPostgresSource(database.url, access);
  return openSqliteSource(database.path, access);
}

/**
 * Opens a database to copy another into it, creating or migrating it as needed; no other process may
 * have it open. Throws `UnusableDatabase`.
 */
export function openTarget(
  address: string,
  environment: Environment,
  created?: Opening['created'],
): MaybePromise<PortableDatabase> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres') return openPostgresTarget(database.url, environment, created);
  return openSqliteTarget(database.path, environment, created);
}
