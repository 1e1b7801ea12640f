import type { Environment } from '../domain/deployment.ts';
import type { Finding } from '../domain/finding.ts';
import { databaseAddress } from './address.ts';
import { inspectPostgres } from './postgres/inspect.ts';
import { inspectSqlite } from './sqlite/inspect.ts';

/**
 * Inspects the database of a deployment, without writing to it. `secretKeys` are those of the setting.
 * Never throws.
 */
export async function inspectDatabase(
  address: string,
  environment: Environment,
  secretKeys: readonly string[] = [],
): Promise<readonly Finding[]> {
  const database = databaseAddress(address);
  if (database.engine === 'postgres')
    return await inspectPostgres(database.url, environment, secretKeys);
  return inspectSqlite(database.path, environment, secretKeys);
}
