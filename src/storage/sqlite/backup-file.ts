import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { verifyChecksum } from '../checksum.ts';
import { fenceProblem } from '../fence.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { UnusableDatabase } from '../unusable.ts';
import { findFaults } from './damage.ts';
import { codeOf, isDiskFull, refusal } from './faults.ts';
import { findFence } from './fence.ts';
import { OWNER_ONLY } from './file.ts';
import { createPortableSqlite } from './portable-database.ts';
import { checkOwner, deploymentIn, isUpToDate, migrate } from './schema.ts';

const OPTIONS = { strict: true, safeIntegers: true } as const;

/**
 * Creates the file of a backup. The file is not safe until it is closed and flushed: after a crash
 * the backup has to be made again. Throws `UnusableDatabase`.
 */
export function createBackupFile(path: string, environment: Environment): PortableDatabase {
  let database: Database | undefined;
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    database = new Database(path, { ...OPTIONS, readwrite: true, create: false });
    // The runtime refuses OFF, and a journal file would remain after a kill. In memory it stays small:
    // it holds the old content of pages, and a new file has hardly any.
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
 * Throws `UnusableDatabase` for a file with damaged pages, indexes or references. `proceed` is awaited
 * before each piece of the check.
 */
export async function checkBackupFile(path: string, proceed?: () => Promise<void>): Promise<void> {
  let database: Database | undefined;
  try {
    database = new Database(path, { ...OPTIONS, readonly: true });
    refuseFaults(path, await findFaults(database, proceed));
  } catch (error) {
    throw unreadable(error, path);
  } finally {
    database?.close();
  }
}

/**
 * Opens a backup without changing it: a backup of an earlier release is migrated in a temporary copy,
 * which is removed on close. Throws `UnusableDatabase`, also if a byte of it has changed, or if it is of
 * another deployment than `configured`.
 */
export async function openBackupFile(
  path: string,
  configured?: Environment,
): Promise<PortableDatabase> {
  if (!existsSync(path)) throw new UnusableDatabase(`${path} does not exist.`);
  let database: Database | undefined;
  const copy = join(tmpdir(), `petstore-${crypto.randomUUID()}.db`);
  try {
    database = new Database(path, { ...OPTIONS, readonly: true });
    checkOwner(database, path);
    const environment = deploymentIn(database);
    if (environment === undefined) throw new UnusableDatabase(`${path} holds no data of Petstore.`);
    if (configured !== undefined) requireDeployment(path, environment, configured);
    await checkBackupFile(path);
    await requireWhole(path);
    database = broughtUpToDate(database, copy, environment);
    const fence = findFence(database);
    if (fence !== undefined) throw new UnusableDatabase(fenceProblem(fileName(path), fence));
    const backup = createPortableSqlite(database, fileName(path), environment);
    return {
      ...backup,
      async close() {
        await backup.close();
        rmSync(copy, { force: true });
      },
    };
  } catch (error) {
    database?.close();
    rmSync(copy, { force: true });
    throw unreadable(error, path);
  }
}

/** The error for a backup that cannot be read. */
function unreadable(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === undefined || isDiskFull(error)) return refusal(error, path);
  // Where a table of words is cut off, its module says no more than SQLITE_ERROR.
  if (/^SQLITE_(?:NOTADB|CORRUPT|ERROR$)/.test(code)) {
    return new UnusableDatabase(
      `${path} is not a database, or is damaged or cut off; use another backup.`,
    );
  }
  return new UnusableDatabase(
    `${path} cannot be read (${code}): it must be a file, and this user must be allowed to read it.`,
  );
}

function requireDeployment(path: string, found: Environment, configured: Environment): void {
  if (found === configured) return;
  throw new UnusableDatabase(
    `${path} is a backup of the ${found} deployment, and this is ${configured}: ` +
      `add --environment ${found} if that is what you mean.`,
  );
}

/** Refuses a file with a changed byte, or without a checksum. */
async function requireWhole(path: string): Promise<void> {
  const checked = await verifyChecksum(path);
  if (checked === 'damaged') {
    throw new UnusableDatabase(`${path} has changed since it was written; use another backup.`);
  }
  if (checked !== 'whole') {
    throw new UnusableDatabase(
      `${path} is no whole backup: its checksum is missing; use another backup.`,
    );
  }
}

/** Returns the database itself, or a copy with the newest schema. */
function broughtUpToDate(database: Database, copy: string, environment: Environment): Database {
  if (isUpToDate(database)) return database;
  closeSync(openSync(copy, 'wx', OWNER_ONLY));
  database.query('VACUUM INTO ?').run(copy);
  database.close();
  const newer = new Database(copy, { ...OPTIONS, readwrite: true, create: false });
  migrate(newer, environment);
  return newer;
}

function refuseFaults(path: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new UnusableDatabase(`${path} is damaged (${faults.join('; ')}); use another backup.`);
}
