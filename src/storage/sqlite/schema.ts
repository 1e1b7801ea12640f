import type { Database } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { fenceProblem } from '../fence.ts';
import {
  NewerSchema,
  newestVersion,
  pendingMigrations,
  refuseUnder,
  type SchemaVersion,
  type SharedSchema,
  schemaAt,
  sharedFromAfter,
} from '../migrations.ts';
import { checkEnvironment, type Opening, olderSchemaProblem } from '../opening.ts';
import { NoDatabase, UnusableDatabase } from '../unusable.ts';
import { findFence } from './fence.ts';
import { migrations } from './migrations.ts';
import { otherServers } from './server-locks.ts';

/** "PETS": distinguishes our files from those of other programs. */
export const APPLICATION_ID = 0x50455453;
/**
 * Holds the animals of a shop of 100,000. With the 2 MiB of SQLite's default, most requests for one of
 * them read pages from the file: docs/decisions/0001-group-commit.md.
 */
const PAGE_CACHE_KIB = 16_384;
/** Normally the log starts again from its beginning at 1,000 pages, which are 4 MiB. */
const LOG_BYTES_MAX = 16 * 1_048_576;
export const NEWEST = newestVersion(migrations);

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
  { access = 'create', fenced = false, force, created, migrated }: FileOpening,
): void {
  checkOwner(database, path);
  const { version } = schemaVersion(database);
  // A copy must hold everything.
  if (fenced && version > NEWEST) throw new NewerSchema(version, NEWEST);
  if (version === 0 && access !== 'create') throw new NoDatabase(fileName(path));
  checkEnvironment(path, deploymentIn(database), environment);
  const fence = findFence(database);
  if (fence !== undefined && !fenced) {
    throw new UnusableDatabase(fenceProblem(`sqlite:${path}`, fence));
  }
  if (access === 'read') {
    if (version >= NEWEST) return;
    throw new UnusableDatabase(olderSchemaProblem(fileName(path), version, NEWEST));
  }
  configure(database);
  if (fence !== undefined) return;
  const pending = version === 0 || force ? [] : pendingSteps(database);
  if (pending.length > 0) refuseUnder(fileName(path), otherServers(path), pending);
  const before = migrate(database, environment);
  // Another process may have created it in the meantime, for the other deployment.
  checkEnvironment(path, deploymentIn(database), environment);
  if (before === 0) created?.();
  else if (before < NEWEST) migrated?.(before, NEWEST);
}

function configure(database: Database): void {
  database.run('PRAGMA journal_mode = WAL');
  // FULL: a commit is on disk before it is acknowledged, so it survives a power cut.
  database.run('PRAGMA synchronous = FULL');
  database.run('PRAGMA foreign_keys = ON');
  // What is erased is overwritten: it must not stay in free pages.
  database.run('PRAGMA secure_delete = ON');
  // A log that was longer is cut when it starts again, so the size of its file tells if it is long now.
  database.run(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
  database.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
}

/** Refuses files of other programs and of later releases, before anything is written. */
export function checkOwner(database: Database, path: string): void {
  const tables = database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM sqlite_schema').get();
  if ((tables?.n ?? 0n) > 0n && pragma(database, 'application_id') !== APPLICATION_ID) {
    throw new UnusableDatabase(`${path} is a database of another program; choose another file.`);
  }
  pendingSteps(database);
}

/** Throws `NewerSchema`. */
function pendingSteps(database: Database) {
  return pendingMigrations(migrations, schemaVersion(database));
}

/** Returns true for the newest schema, or a later one that this release shares. */
export function isUpToDate(database: Database): boolean {
  return schemaVersion(database).version >= NEWEST;
}

/** Returns whether a later release has migrated the database beyond what this one may use. */
export function isTooNew(database: Database): boolean {
  return schemaVersion(database).sharedFrom > NEWEST;
}

/**
 * Applies the pending migrations in one transaction; if two processes start at once, the second
 * waits. Returns the version before, 0 for an empty database.
 */
export function migrate(database: Database, environment: Environment): number {
  if (isUpToDate(database)) return NEWEST;
  const run = database.transaction(() => {
    const { version, sharedFrom } = schemaVersion(database);
    const pending = pendingSteps(database);
    for (const { sql } of pending) database.run(sql);
    if (version === 0) {
      database
        .query('INSERT INTO deployment (environment, id) VALUES (?, lower(hex(randomblob(16))))')
        .run(environment);
    }
    database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    if (pending.length > 0) {
      database
        .query('UPDATE deployment SET shared_version = ?, shared_from = ?')
        .run(NEWEST, sharedFromAfter(pending) ?? sharedFrom);
      database.run(`PRAGMA user_version = ${NEWEST}`);
    }
    return version;
  });
  return run.immediate();
}

/** Returns the deployment that a database belongs to; undefined for an empty database. */
export function deploymentIn(database: Database): Environment | undefined {
  if (schemaVersion(database).version === 0) return undefined;
  return database
    .query<{ environment: Environment }, []>('SELECT environment FROM deployment')
    .get()?.environment;
}

/** Marks the file itself, so that an older copy of it, or another one, differs. */
export function markFile(database: Database): void {
  database.run(MARK);
}

const MARK = `UPDATE deployment
  SET mark = id || ':' || printf('%012d', CAST(substr(mark, -12) AS INTEGER) + 1)`;

/** Returns what tells a database from another; a copy has the same. */
export function idOf(database: Database): string {
  return database.query<{ id: string }, []>('SELECT id FROM deployment').get()?.id ?? '';
}

/** Returns the version of the schema; 0 for an empty database. */
export function schemaVersion(database: Database): SchemaVersion {
  const version = pragma(database, 'user_version');
  if (version === 0) return schemaAt(version, undefined);
  const said = 'SELECT shared_version, shared_from FROM deployment';
  return schemaAt(version, database.query<SharedSchema, []>(said).get());
}

function pragma(database: Database, name: string): number {
  const [row] = database.query<Record<string, bigint>, []>(`PRAGMA ${name}`).all();
  return Number(row?.[name] ?? 0);
}
