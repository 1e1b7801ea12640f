import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { sealProblem } from '../seal.ts';
import type { Shop } from '../shop.ts';
import { UnusableDatabase } from '../unusable.ts';
import { checkOwner, isUpToDate, migrate, refusal } from './connection.ts';
import { deploymentIn, nameOf } from './open-shop.ts';
import { findSeal } from './seal.ts';
import { createSqliteShop } from './shop.ts';

const FOR_US = { strict: true, safeIntegers: true } as const;
/** Names of adopters and hashes of keys are nobody else's business. */
const OWNER_ONLY = 0o600;

/**
 * Makes a file to put a backup into. It is of no use until it is closed and flushed: nothing else
 * is done for a crash, after which it would be made again. Throws `UnusableDatabase`.
 */
export function createBackupFile(path: string, environment: Environment): Shop {
  let database: Database | undefined;
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    database = new Database(path, { ...FOR_US, readwrite: true, create: false });
    database.run('PRAGMA journal_mode = OFF');
    database.run('PRAGMA synchronous = OFF');
    migrate(database, environment);
    return createSqliteShop(database, nameOf(path), environment);
  } catch (error) {
    database?.close();
    throw refusal(error, path);
  }
}

/** Throws `UnusableDatabase` for a file whose pages, indexes or references are not whole. */
export function checkBackupFile(path: string): void {
  let database: Database | undefined;
  try {
    database = new Database(path, { ...FOR_US, readonly: true });
    checkContent(database, path);
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
export function openBackupFile(path: string): Shop {
  if (!existsSync(path)) throw new UnusableDatabase(`${path} does not exist.`);
  let database: Database | undefined;
  const copy = join(tmpdir(), `petstore-${crypto.randomUUID()}.db`);
  try {
    database = new Database(path, { ...FOR_US, readonly: true });
    checkOwner(database, path);
    const environment = deploymentIn(database, path);
    checkContent(database, path);
    database = broughtUpToDate(database, copy, environment);
    const seal = findSeal(database);
    if (seal !== undefined) throw new UnusableDatabase(sealProblem(nameOf(path), seal));
    const shop = createSqliteShop(database, nameOf(path), environment);
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

function checkContent(database: Database, path: string): void {
  const faults = database
    .query<{ integrity_check: string }, []>('PRAGMA integrity_check(3)')
    .all()
    .map(({ integrity_check }) => integrity_check);
  const lost = database.query('PRAGMA foreign_key_check').all();
  if (lost.length > 0) faults.push(`${lost.length} rows refer to rows that are not there`);
  const found = faults.filter((fault) => fault !== 'ok');
  if (found.length > 0) {
    throw new UnusableDatabase(`${path} is damaged (${found.join('; ')}); use another backup.`);
  }
}
