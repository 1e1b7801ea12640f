import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import type { Shop } from '../shop.ts';
import { UnusableDatabase } from '../unusable.ts';
import { checkOwner, openConnection, refusal } from './connection.ts';
import { createSqliteShop } from './shop.ts';

/** How long a first look waits for others. */
const BUSY_TIMEOUT_MS = 5_000;

/** Opens the shop that is in a file, sealed or not. Throws `UnusableDatabase`. */
export function openSqliteSource(path: string): Shop {
  const environment = findDeployment(path);
  return shopIn(openConnection(path, environment, { sealed: true }), path, environment);
}

/**
 * Opens a file to put a shop into it, creating or migrating it as needed; nobody else may have it
 * open. Throws `UnusableDatabase`.
 */
export function openSqliteTarget(path: string, environment: Environment): Shop {
  return shopIn(
    openConnection(path, environment, { sealed: true, alone: true }),
    path,
    environment,
  );
}

/** The address of a file, in whatever folder it is read. */
export function nameOf(path: string): string {
  return `sqlite:${resolve(path)}`;
}

function shopIn(database: Database, path: string, environment: Environment): Shop {
  return createSqliteShop(database, nameOf(path), environment);
}

/** The deployment of the shop in a database. Throws `UnusableDatabase` where there is none. */
export function deploymentIn(database: Database, path: string): Environment {
  const isEmpty = database.query('SELECT 1 FROM sqlite_schema LIMIT 1').get() === null;
  const row = isEmpty
    ? null
    : database.query<{ environment: Environment }, []>('SELECT environment FROM deployment').get();
  if (row === null) throw new UnusableDatabase(`${path} holds no shop.`);
  return row.environment;
}

function findDeployment(path: string): Environment {
  if (!existsSync(path)) throw new UnusableDatabase(`${path} does not exist; look at the address.`);
  let database: Database | undefined;
  try {
    database = new Database(path, { readwrite: true, create: false, strict: true });
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    checkOwner(database, path);
    return deploymentIn(database, path);
  } catch (error) {
    throw refusal(error, path);
  } finally {
    database?.close();
  }
}
