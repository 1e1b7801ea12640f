import type { Environment } from '../../domain/deployment.ts';
import { databaseAddress } from '../address.ts';
import type { OpeningNotices, PortableOpening } from '../opening.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { openPortablePostgres } from '../postgres/portable-database.ts';
import { openPortableSqlite } from '../sqlite/portable-database.ts';

/** Opens the database at an address, fenced or not. Throws `UnusableDatabase`, also if it is missing. */
export function openSource(
  address: string,
  access: 'change' | 'read' = 'change',
  notices: OpeningNotices = {},
): Promise<PortableDatabase> {
  return open(address, { ...notices, access });
}

/**
 * Opens a database to copy another into it, creating or migrating it as needed; no other process may
 * have it open. Throws `UnusableDatabase`.
 */
export function openTarget(
  address: string,
  environment: Environment,
  notices: OpeningNotices = {},
): Promise<PortableDatabase> {
  return open(address, notices, environment);
}

async function open(address: string, opening: PortableOpening, target?: Environment) {
  const database = databaseAddress(address);
  return database.engine === 'postgres'
    ? openPortablePostgres(database.url, opening, target)
    : openPortableSqlite(database.path, opening, target);
}
