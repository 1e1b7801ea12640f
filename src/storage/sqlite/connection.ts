import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { unavailable } from '../../domain/failure.ts';
import { NewerSchema, pendingMigrations } from '../migrations.ts';
import { sealProblem } from '../seal.ts';
import { UnusableDatabase } from '../unusable.ts';
import { migrations } from './migrations.ts';
import { indexNames } from './name-index.ts';
import { findSeal } from './seal.ts';

/** "PETS": tells our files from those of other programs. */
export const APPLICATION_ID = 0x50455453;

/** Rights of a file that nobody but its owner reads or writes. */
export const OWNER_ONLY = 0o600;
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

/** What an opening asks for, besides what every opening does. */
export interface Opening {
  /** Keeps every other process from opening it, as long as it is open here. */
  readonly alone?: boolean;
  /** Opens a sealed one too. */
  readonly sealed?: boolean;
}

/**
 * Opens a database file, creating or migrating it as needed. Integers come back as `bigint`.
 * Throws `UnusableDatabase`, and leaves a file that it refuses as it was.
 */
export function openConnection(
  path: string,
  environment: Environment,
  opening: Opening = {},
): Database {
  let database: Database | undefined;
  try {
    if (path !== ':memory:') createFile(path);
    database = new Database(path, { create: true, strict: true, safeIntegers: true });
    const patience = opening.alone ? ALONE_BUSY_TIMEOUT_MS : OPENING_BUSY_TIMEOUT_MS;
    database.run(`PRAGMA busy_timeout = ${patience}`);
    // Before the first reading: then whoever has the write-ahead log open stands in the way.
    if (opening.alone) database.run('PRAGMA locking_mode = EXCLUSIVE');
    checkOwner(database, path);
    configure(database);
    migrate(database, environment);
    checkEnvironment(database, path, environment);
    if (!opening.sealed) checkSeal(database, path);
    indexNames(database);
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw refusal(error, path);
  }
}

/**
 * Makes the file where there is none, for its owner alone: it holds hashes of keys and names of
 * people. SQLite gives the files beside it the same rights. One that is there is not touched: to
 * close it would end the locks that this process has on it.
 */
function createFile(path: string): void {
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
  pendingMigrations(migrations, pragma(database, 'user_version'));
}

/** Whether a database has the newest schema. */
export function isUpToDate(database: Database): boolean {
  return pragma(database, 'user_version') === migrations.at(-1)?.version;
}

/** Applies what is missing in one transaction; of two that start at once, the second waits. */
export function migrate(database: Database, environment: Environment): void {
  if (isUpToDate(database)) return;
  const newest = migrations.at(-1)?.version ?? 0;
  const run = database.transaction(() => {
    const version = pragma(database, 'user_version');
    for (const migration of pendingMigrations(migrations, version)) database.run(migration.sql);
    if (version === 0) {
      database.query('INSERT INTO deployment (environment) VALUES (?)').run(environment);
    }
    database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.run(`PRAGMA user_version = ${newest}`);
  });
  run.immediate();
}

function checkEnvironment(database: Database, path: string, environment: Environment): void {
  const row = database
    .query<{ environment: Environment }, []>('SELECT environment FROM deployment')
    .get();
  if (row === null || row.environment === environment) return;
  throw new UnusableDatabase(
    `${path} belongs to the ${row.environment} deployment: ` +
      `say --environment ${row.environment}, or choose another database for ${environment}.`,
  );
}

function checkSeal(database: Database, path: string): void {
  const seal = findSeal(database);
  if (seal !== undefined) throw new UnusableDatabase(sealProblem(`sqlite:${path}`, seal));
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
  if (code === 'SQLITE_FULL') {
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
