import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { NoDatabase } from '../unusable.ts';
import { codeOf, isDiskFull, refusal } from './faults.ts';
import { type FileOpening, prepareDatabase } from './schema.ts';

/** Permissions of a file that only its owner may read or write. */
export const OWNER_ONLY = 0o600;
/** Another process may be creating or migrating the same file. */
const OPENING_BUSY_TIMEOUT_MS = 5_000;
/** Short, because a server that has the file open will not close it. */
const EXCLUSIVE_BUSY_TIMEOUT_MS = 1_000;
/** After the opening, group-commit.ts waits for other writers without blocking the event loop. */
const BUSY_TIMEOUT_MS = 0;

/**
 * Opens a database file; unless `opening` says otherwise, creates or migrates it as needed.
 * Integers are read as `bigint`. Throws `UnusableDatabase`; a refused file stays unchanged.
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
 * Opens a database when the disk is full. Normally SQLite needs 32 KiB in a file beside the database
 * for the index of its log, which all processes share. An exclusive connection holds it in memory.
 */
function openOnFullDisk(
  path: string,
  environment: Environment,
  opening: FileOpening,
  full: unknown,
): Database {
  try {
    const database = open(path, environment, { ...opening, exclusive: true });
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
    const patience = opening.exclusive ? EXCLUSIVE_BUSY_TIMEOUT_MS : OPENING_BUSY_TIMEOUT_MS;
    database.run(`PRAGMA busy_timeout = ${patience}`);
    // Set before the first read, so that any process with the write-ahead log open is noticed.
    if (opening.exclusive) database.run('PRAGMA locking_mode = EXCLUSIVE');
    prepareDatabase(database, path, environment, opening);
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw error;
  }
}

/** Throws `UnusableDatabase` if there is no file. */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new NoDatabase(fileName(path));
}

/**
 * Creates a missing file, readable by its owner only: it holds hashes of keys and names of people.
 * SQLite gives the files beside it the same permissions. An existing file is not opened: closing it
 * would release the locks that this process holds on it.
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

/**
 * Runs an INSERT … RETURNING and returns its row. It reads the result to its end, because an
 * unfinished statement would keep SQLite from moving the write-ahead log into the database.
 */
export function insertedRow<Row, Values extends SQLQueryBindings[]>(
  insert: Statement<Row, Values>,
  ...values: Values
): Row {
  const [row] = insert.all(...values);
  if (row === undefined) throw new Error('INSERT … RETURNING gave no row');
  return row;
}
