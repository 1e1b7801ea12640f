import { Database } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import type { Environment } from '../../domain/deployment.ts';
import { isDiskFull, refusal } from './faults.ts';
import { createFile, requireFile } from './file.ts';
import { type FileOpening, markFile, prepareDatabase } from './schema.ts';
import { filesLeft } from './server-locks.ts';

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

/** Marks the file itself from the start, not only its log. */
function markForServer(database: Database): void {
  try {
    markFile(database);
    database.run('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // The disk is full, or another process writes.
  }
}

/** Reads with a new connection, whose cache is empty. */
export function readOnce(path: string, statement: string): void {
  using database = new Database(path, { readonly: true });
  database.query(statement).all();
}

function open(path: string, environment: Environment, opening: FileOpening): Database {
  let database: Database | undefined;
  let isNew = false;
  try {
    const create = (opening.access ?? 'create') === 'create';
    if (path !== ':memory:') {
      isNew = create && createFile(path);
      if (!isNew) requireFile(path);
    }
    const left = filesLeft(path);
    // A new database has no log to lose, whatever a server left beside the one that was here.
    const isLogLost = !isNew && left.length > 0 && !existsSync(`${path}-wal`);
    database = new Database(path, { readwrite: true, create, strict: true, safeIntegers: true });
    const timeout = opening.exclusive ? EXCLUSIVE_BUSY_TIMEOUT_MS : OPENING_BUSY_TIMEOUT_MS;
    database.run(`PRAGMA busy_timeout = ${timeout}`);
    // Set before the first read, so that any process with the write-ahead log open is noticed.
    if (opening.exclusive) database.run('PRAGMA locking_mode = EXCLUSIVE');
    prepareDatabase(database, path, environment, opening);
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (opening.server) markForServer(database);
    if (isLogLost) opening.lostLog?.();
    // What the log held is in the database now: to miss it later would mean nothing.
    for (const file of left) rmSync(file, { force: true });
    return database;
  } catch (error) {
    database?.close();
    // The next start would refuse what a full disk leaves.
    if (isNew && statSync(path).size === 0) rmSync(path);
    throw error;
  }
}
