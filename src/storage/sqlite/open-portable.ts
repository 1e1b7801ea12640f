import { Database } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import type { PortableOpening } from '../opening.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { NoDatabase } from '../unusable.ts';
import { openConnection } from './connection.ts';
import { refusal } from './faults.ts';
import { requireFile } from './file.ts';
import { createPortableSqlite } from './portable-database.ts';
import { checkOwner, deploymentIn } from './schema.ts';

/** For reading the deployment while other processes write. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the database in a file, fenced or not. With `target`, the deployment of a copy, creates or migrates it as
 * needed; no other process may have it open then. Throws `UnusableDatabase`.
 */
export function openPortableSqlite(
  path: string,
  opening: PortableOpening,
  target?: Environment,
): PortableDatabase {
  const environment = target ?? findDeployment(path);
  const exclusive = target !== undefined;
  const database = openConnection(path, environment, { ...opening, fenced: true, exclusive });
  return createPortableSqlite(database, fileName(path), environment);
}

function findDeployment(path: string): Environment {
  let database: Database | undefined;
  try {
    requireFile(path);
    database = new Database(path, { readwrite: true, create: false, strict: true });
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    checkOwner(database, path);
    const environment = deploymentIn(database);
    if (environment === undefined) throw new NoDatabase(fileName(path));
    return environment;
  } catch (error) {
    throw refusal(error, path);
  } finally {
    database?.close();
  }
}
