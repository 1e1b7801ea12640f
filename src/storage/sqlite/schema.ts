import type { Database } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { fenceProblem } from '../fence.ts';
import { pendingMigrations } from '../migrations.ts';
import { deploymentProblem, type Opening, olderSchemaProblem } from '../opening.ts';
import { NoDatabase, UnusableDatabase } from '../unusable.ts';
import { isDiskFull } from './faults.ts';
import { findFence } from './fence.ts';
import { migrations } from './migrations.ts';
import { indexNames } from './name-index.ts';

/** "PETS": distinguishes our files from those of other programs. */
export const APPLICATION_ID = 0x50455453;
/**
 * Holds the animals of a shop of 100,000. With the 2 MiB of SQLite's default, most requests for one of
 * them read pages from the file: docs/decisions/0024-cache-misses.md.
 */
const PAGE_CACHE_KIB = 16_384;
const NEWEST = migrations.at(-1)?.version ?? 0;

export interface FileOpening extends Opening {
  /** Locks every other process out while the file is open here. */
  readonly exclusive?: boolean;
}

/**
 * Refuses an unsuitable database before anything is written, then creates or migrates it as
 * `opening` allows. Throws `UnusableDatabase`.
 */
export function prepareDatabase(
  database: Database,
  path: string,
  environment: Environment,
  { access = 'create', fenced = false, exclusive, diskFull, created }: FileOpening,
): void {
  checkOwner(database, path);
  const version = schemaVersion(database);
  if (version === 0 && access !== 'create') throw new NoDatabase(fileName(path));
  checkEnvironment(database, path, environment);
  const fence = findFence(database);
  if (fence !== undefined && !fenced) {
    throw new UnusableDatabase(fenceProblem(`sqlite:${path}`, fence));
  }
  if (access === 'read') {
    if (version === NEWEST) return;
    throw new UnusableDatabase(olderSchemaProblem(fileName(path), version, NEWEST));
  }
  configure(database);
  if (fence !== undefined) return;
  const isNew = migrate(database, environment);
  // Another process may have created it in the meantime, for the other deployment.
  checkEnvironment(database, path, environment);
  try {
    indexNames(database);
  } catch (error) {
    // A search scans the names that are not in the index.
    if (!exclusive || diskFull === undefined || !isDiskFull(error)) throw error;
  }
  if (isNew) created?.();
}

function configure(database: Database): void {
  database.run('PRAGMA journal_mode = WAL');
  // FULL: a commit is on disk before it is acknowledged, so it survives a power cut.
  database.run('PRAGMA synchronous = FULL');
  database.run('PRAGMA foreign_keys = ON');
  database.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
}

/** Refuses files of other programs and of later releases, before anything is written. */
export function checkOwner(database: Database, path: string): void {
  const tables = database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM sqlite_schema').get();
  if ((tables?.n ?? 0n) > 0n && pragma(database, 'application_id') !== APPLICATION_ID) {
    throw new UnusableDatabase(`${path} is a database of another program; choose another file.`);
  }
  pendingMigrations(migrations, schemaVersion(database));
}

/** Returns true for the newest schema. */
export function isUpToDate(database: Database): boolean {
  return schemaVersion(database) === NEWEST;
}

/**
 * Applies the pending migrations in one transaction; if two processes start at once, the second
 * waits. Returns whether the database was empty before.
 */
export function migrate(database: Database, environment: Environment): boolean {
  if (isUpToDate(database)) return false;
  const run = database.transaction(() => {
    const version = schemaVersion(database);
    for (const migration of pendingMigrations(migrations, version)) database.run(migration.sql);
    if (version === 0) {
      database.query('INSERT INTO deployment (environment) VALUES (?)').run(environment);
    }
    database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.run(`PRAGMA user_version = ${NEWEST}`);
    return version === 0;
  });
  return run.immediate();
}

/** Returns the deployment that a database belongs to; undefined for an empty database. */
export function deploymentIn(database: Database): Environment | undefined {
  if (schemaVersion(database) === 0) return undefined;
  return database
    .query<{ environment: Environment }, []>('SELECT environment FROM deployment')
    .get()?.environment;
}

function checkEnvironment(database: Database, path: string, environment: Environment): void {
  const found = deploymentIn(database);
  if (found === undefined || found === environment) return;
  throw new UnusableDatabase(deploymentProblem(path, found, environment));
}

/** Returns the version of the schema; 0 for an empty database. */
function schemaVersion(database: Database): number {
  return pragma(database, 'user_version');
}

function pragma(database: Database, name: string): number {
  const [row] = database.query<Record<string, bigint>, []>(`PRAGMA ${name}`).all();
  return Number(row?.[name] ?? 0);
}
