import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { fenceProblem } from '../fence.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { UnusableDatabase } from '../unusable.ts';
import { OWNER_ONLY } from './connection.ts';
import { refusal } from './faults.ts';
import { findFence } from './fence.ts';
import { createPortableSqlite } from './portable-database.ts';
import { checkOwner, deploymentIn, isUpToDate, migrate } from './schema.ts';

/** Faults that are told of a file: whoever reads of one knows enough. */
const FAULTS_MAX = 3;
const FOR_US = { strict: true, safeIntegers: true } as const;

/**
 * Makes a file to put a backup into. It is of no use until it is closed and flushed: nothing else
 * is done for a crash, after which it would be made again. Throws `UnusableDatabase`.
 */
export function createBackupFile(path: string, environment: Environment): PortableDatabase {
  let database: Database | undefined;
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    database = new Database(path, { ...FOR_US, readwrite: true, create: false });
    // OFF is refused on a connection of this runtime, and a file would be left by a kill. It holds
    // what pages were before, so hardly any of a file that is new.
    database.run('PRAGMA journal_mode = MEMORY');
    database.run('PRAGMA synchronous = OFF');
    migrate(database, environment);
    return createPortableSqlite(database, fileName(path), environment);
  } catch (error) {
    database?.close();
    throw refusal(error, path);
  }
}

/**
 * Throws `UnusableDatabase` for a file whose pages, indexes or references are not whole. Nothing is
 * heard while a statement runs, so it is done in pieces: `goOn`, if given, is asked before each.
 */
export async function checkBackupFile(path: string, goOn?: () => Promise<void>): Promise<void> {
  let database: Database | undefined;
  try {
    database = new Database(path, { ...FOR_US, readonly: true });
    const tables = database.query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table'",
    );
    for (const { name } of tables.all()) {
      await goOn?.();
      refuseFaults(path, [
        ...faultsFound(database, `integrity_check('${name}')`),
        ...referencesLost(database, `foreign_key_check('${name}')`),
      ]);
    }
    await goOn?.();
    // What belongs to no table: free pages, and those that nothing refers to.
    refuseFaults(path, faultsFound(database, 'quick_check'));
  } catch (error) {
    throw refusal(error, path);
  } finally {
    database?.close();
  }
}

/**
 * Opens a backup, which stays as it is: one of an earlier release is brought up to date in a copy
 * that ends with the shop. Throws `UnusableDatabase`.
 */
export async function openBackupFile(path: string): Promise<PortableDatabase> {
  if (!existsSync(path)) throw new UnusableDatabase(`${path} does not exist.`);
  let database: Database | undefined;
  const copy = join(tmpdir(), `petstore-${crypto.randomUUID()}.db`);
  try {
    database = new Database(path, { ...FOR_US, readonly: true });
    checkOwner(database, path);
    const environment = deploymentIn(database);
    if (environment === undefined) throw new UnusableDatabase(`${path} holds no shop.`);
    await checkBackupFile(path);
    database = broughtUpToDate(database, copy, environment);
    const fence = findFence(database);
    if (fence !== undefined) throw new UnusableDatabase(fenceProblem(fileName(path), fence));
    const shop = createPortableSqlite(database, fileName(path), environment);
    return {
      ...shop,
      async close() {
        await shop.close();
        rmSync(copy, { force: true });
      },
    };
  } catch (error) {
    database?.close();
    rmSync(copy, { force: true });
    throw refusal(error, path);
  }
}

/** The database itself, or a copy with the newest schema. */
function broughtUpToDate(database: Database, copy: string, environment: Environment): Database {
  if (isUpToDate(database)) return database;
  closeSync(openSync(copy, 'wx', OWNER_ONLY));
  database.query('VACUUM INTO ?').run(copy);
  database.close();
  const newer = new Database(copy, { ...FOR_US, readwrite: true, create: false });
  migrate(newer, environment);
  return newer;
}

/** What one of the checks of SQLite finds; its only column bears the name of the check. */
function faultsFound(database: Database, check: string): string[] {
  return database
    .query<Record<string, string>, []>(`PRAGMA ${check}`)
    .all()
    .flatMap((row) => Object.values(row))
    .filter((fault) => fault !== 'ok');
}

function referencesLost(database: Database, check: string): string[] {
  const lost = database.query(`PRAGMA ${check}`).all();
  return lost.length === 0 ? [] : [`${lost.length} rows refer to rows that are not there`];
}

function refuseFaults(path: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const told = faults.slice(0, FAULTS_MAX).join('; ');
  throw new UnusableDatabase(`${path} is damaged (${told}); use another backup.`);
}
