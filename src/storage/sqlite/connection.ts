import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { unavailable } from '../../domain/failure.ts';
import { fileName } from '../address.ts';
import { fenceProblem } from '../fence.ts';
import { NewerSchema, pendingMigrations } from '../migrations.ts';
import { deploymentProblem, type Opening, olderSchemaProblem } from '../opening.ts';
import { NoShop, UnusableDatabase } from '../unusable.ts';
import { findFence } from './fence.ts';
import { migrations } from './migrations.ts';
import { indexNames } from './name-index.ts';

/** "PETS": tells our files from those of other programs. */
export const APPLICATION_ID = 0x50455453;

/** Rights of a file that nobody but its owner reads or writes. */
export const OWNER_ONLY = 0o600;
const NEWEST = migrations.at(-1)?.version ?? 0;
/** How long an opening waits for another process that creates or migrates the same file. */
const OPENING_BUSY_TIMEOUT_MS = 5_000;
/** How long one that wants it alone waits: whoever has it open, such as a server, keeps it open. */
const ALONE_BUSY_TIMEOUT_MS = 1_000;
/** Afterwards the writer waits by itself, without stopping the event loop: see writer.ts. */
const BUSY_TIMEOUT_MS = 0;

/**
 * Result codes that mean the database cannot be used now, whatever was asked of it. The only
 * triggers that refuse anything are those of a seal.
 */
const OUT_OF_SERVICE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|CORRUPT|READONLY|CANTOPEN|NOTADB|NOMEM|PROTOCOL|CONSTRAINT_TRIGGER)/;

/** What an opening of a file asks for. */
export interface FileOpening extends Opening {
  /** Keeps every other process from opening it, as long as it is open here. */
  readonly alone?: boolean;
}

/**
 * Opens a database file; unless `opening` says otherwise, creates or migrates it as needed.
 * Integers come back as `bigint`. Throws `UnusableDatabase`, and leaves a file that it refuses as
 * it was.
 */
export function openConnection(
  path: string,
  environment: Environment,
  opening: FileOpening = {},
): Database {
  try {
    return open(path, environment, opening);
  } catch (error) {
    if (opening.diskFull === undefined || !isDiskFull(error)) throw refusal(error, path);
    return openOnFullDisk(path, environment, opening, error);
  }
}

/**
 * Opens a database for which the disk has no room. SQLite makes a file beside it for the index of
 * its log, 32 KiB that all who have it open share. Whoever has it alone keeps that index in memory.
 */
function openOnFullDisk(
  path: string,
  environment: Environment,
  opening: FileOpening,
  full: unknown,
): Database {
  try {
    const database = open(path, environment, { ...opening, alone: true });
    opening.diskFull?.();
    return database;
  } catch {
    throw refusal(full, path);
  }
}

function open(path: string, environment: Environment, opening: FileOpening): Database {
  let database: Database | undefined;
  try {
    const create = (opening.access ?? 'create') === 'create';
    if (!create) requireFile(path);
    else if (path !== ':memory:') createFile(path);
    database = new Database(path, { readwrite: true, create, strict: true, safeIntegers: true });
    const patience = opening.alone ? ALONE_BUSY_TIMEOUT_MS : OPENING_BUSY_TIMEOUT_MS;
    database.run(`PRAGMA busy_timeout = ${patience}`);
    // Before the first reading: then whoever has the write-ahead log open stands in the way.
    if (opening.alone) database.run('PRAGMA locking_mode = EXCLUSIVE');
    checkOwner(database, path);
    prepare(database, path, environment, opening);
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw error;
  }
}

/** Refuses what is not asked for before anything is written, then does what `opening` allows. */
function prepare(
  database: Database,
  path: string,
  environment: Environment,
  { access = 'create', sealed: fenced = false, alone, diskFull, created }: FileOpening,
): void {
  const version = schemaVersion(database);
  if (version === 0 && access !== 'create') throw new NoShop(fileName(path));
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
  // Another process may have created it meanwhile, for the other deployment.
  checkEnvironment(database, path, environment);
  try {
    indexNames(database);
  } catch (error) {
    // Names that are not in the index are looked through.
    if (!alone || diskFull === undefined || !isDiskFull(error)) throw error;
  }
  if (isNew) created?.();
}

/** Throws `UnusableDatabase` where there is no file. */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new NoShop(fileName(path));
}

/**
 * Makes the file where there is none, for its owner alone: it holds hashes of keys and names of
 * people. SQLite gives the files beside it the same rights. One that is there is not touched: to
 * close it would end the locks that this process has on it.
 */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function configure(database: Database): void {
  database.run('PRAGMA journal_mode = WAL');
  // FULL: a commit is on disk before it is acknowledged, through a power cut too.
  database.run('PRAGMA synchronous = FULL');
  database.run('PRAGMA foreign_keys = ON');
}

function pragma(database: Database, name: string): number {
  const [row] = database.query<Record<string, bigint>, []>(`PRAGMA ${name}`).all();
  return Number(row?.[name] ?? 0);
}

/** Refuses files of other programs and of later releases before anything is written. */
export function checkOwner(database: Database, path: string): void {
  const tables = database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM sqlite_schema').get();
  if ((tables?.n ?? 0n) > 0n && pragma(database, 'application_id') !== APPLICATION_ID) {
    throw new UnusableDatabase(`${path} is a database of another program; choose another file.`);
  }
  pendingMigrations(migrations, schemaVersion(database));
}

/** The version of its schema; 0 where it has none. */
function schemaVersion(database: Database): number {
  return pragma(database, 'user_version');
}

/** Whether a database has the newest schema. */
export function isUpToDate(database: Database): boolean {
  return schemaVersion(database) === NEWEST;
}

/**
 * Applies what is missing in one transaction; of two that start at once, the second waits. Says
 * whether there was nothing before.
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

/** The deployment that a database belongs to; undefined where there is no shop in it. */
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

export function refusal(error: unknown, path: string): unknown {
  if (error instanceof NewerSchema) return new UnusableDatabase(`${path}: ${error.message}`);
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new UnusableDatabase(
      `${path} is not a database, or is damaged; it was left as it is. ` +
        'Choose another file, or put a backup in its place.',
    );
  }
  if (isDiskFull(error)) {
    return new UnusableDatabase(`There is no space left on the disk for ${path}.`);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new UnusableDatabase(
      `${path} is locked by another program, such as a server; try again when it is done.`,
    );
  }
  return new UnusableDatabase(
    `${path} cannot be opened for writing (${code}): check that the folder exists, ` +
      'may be written to and has space left.',
  );
}

/** Whether there was no room, also for the index of the log. */
function isDiskFull(error: unknown): boolean {
  return /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)$/.test(codeOf(error) ?? '');
}

/** The code of an error of SQLite or of the file system. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof SQLiteError) return error.code ?? 'SQLITE_ERROR';
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return undefined;
}

/**
 * Runs an INSERT … RETURNING to its end and gives its row. A statement that is left under way keeps
 * SQLite from moving the write-ahead log into the database, so it is read whole.
 */
export function insertedRow<Row, Values extends SQLQueryBindings[]>(
  insert: Statement<Row, Values>,
  ...values: Values
): Row {
  const [row] = insert.all(...values);
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  return row;
}

/** Whether another process holds the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_BUSY');
}

/** Runs one piece of work; a database that is out of service becomes `unavailable`. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SQLiteError && OUT_OF_SERVICE.test(error.code ?? '')) {
      throw unavailable(error);
    }
    throw error;
  }
}
