import type { Environment } from '../domain/deployment.ts';
import { databaseAddress } from './address.ts';
import type { OpeningNotices } from './opening.ts';
import type { Compacted } from './portable-database.ts';
import { compactPostgres } from './postgres/compact.ts';
import { compactSqlite } from './sqlite/compact.ts';

/**
 * Gives back the space of removed rows, also while servers use the database. Throws `UnusableDatabase`, also
 * where the disk lacks the space for it, or where writes of a server would be refused meanwhile, unless `force`.
 */
export function compact(
  address: string,
  environment: Environment,
  force: boolean,
  notices: OpeningNotices = {},
): Promise<Compacted> {
  const database = databaseAddress(address);
  return database.engine === 'postgres'
    ? compactPostgres(database.url, environment, notices)
    : compactSqlite(database.path, environment, force, notices);
}
