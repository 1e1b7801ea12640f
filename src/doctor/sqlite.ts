import { constants, Database, SQLiteError } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../domain/deployment.ts';
import { fileName } from '../storage/address.ts';
import { findDamage } from '../storage/sqlite/damage.ts';
import { findFence } from '../storage/sqlite/fence.ts';
import { emptyFile } from '../storage/sqlite/file.ts';
import { migrations } from '../storage/sqlite/migrations.ts';
import { APPLICATION_ID } from '../storage/sqlite/schema.ts';
import { otherServers } from '../storage/sqlite/server-locks.ts';
import { contentFindings, FOREIGN, fenceFindings, noDatabaseFinding } from './database.ts';
import { type Finding, findingsOf } from './finding.ts';
import { inspectFiles } from './sqlite-files.ts';

const { good, advice, bad } = findingsOf('database');
const BUSY_TIMEOUT_MS = 2_000;
const DAMAGED_TODO = 'Stop the service, keep the file, and put a backup in its place.';

/** Inspects a database file and its disk. Never throws. */
export async function inspectSqlite(
  path: string,
  environment: Environment,
  secretKeys: readonly string[],
): Promise<readonly Finding[]> {
  if (path === ':memory:') {
    const todo = 'Name a file, as in sqlite:data/petstore.db, for anything that must be stored.';
    return [advice('It exists only in memory, and ends with the process.', todo)];
  }
  const found = [...(await inspectDatabase(path, environment, secretKeys)), ...inspectFiles(path)];
  if (otherServers(path).length < 2) return found;
  const twice =
    'At least two servers use this database, and each counts limits by itself: a key may send twice what its plan allows.';
  const todo = 'Stop all but one, or give them the same PETSTORE_LIMITS=redis://HOST:PORT.';
  return [...found, findingsOf('limits').bad(twice, todo)];
}

async function inspectDatabase(
  path: string,
  environment: Environment,
  secretKeys: readonly string[],
): Promise<readonly Finding[]> {
  let database: Database | undefined;
  try {
    const size = sizeOf(path);
    if (size === undefined) return [noDatabaseFinding(fileName(path))];
    if (size === 0) return [bad(emptyFile(path), DAMAGED_TODO)];
    database = openToRead(path);
    const content = await inspectContent(database, path, environment, secretKeys);
    return [good(`${path} can be opened.`), ...content];
  } catch (error) {
    return [unreadable(path, error)];
  } finally {
    database?.close();
  }
}

/** Returns the size of a file in bytes; undefined if it is missing. Throws for a folder. */
function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error('it is a folder');
  return found?.size;
}

/**
 * Opens a file without creating any beside it. If there is no write-ahead log, because nobody uses the
 * database, SQLite must not create one: it would belong to the user who runs this command.
 */
function openToRead(path: string): Database {
  const isInUse = (sizeOf(`${path}-wal`) ?? 0) > 0;
  const readOnly = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const address = `${pathToFileURL(path).href}${isInUse ? '' : '?immutable=1'}`;
  const database = new Database(address, readOnly);
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}

async function inspectContent(
  database: Database,
  path: string,
  environment: Environment,
  secretKeys: readonly string[],
): Promise<readonly Finding[]> {
  const pragma = (name: string) =>
    database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
  const read = <Row>(statement: string) => database.query<Row, []>(statement).all();
  const tables = read<{ name: string }>('SELECT name FROM sqlite_schema').map(({ name }) => name);
  if (tables.length === 0) return [noDatabaseFinding(fileName(path))];
  if (pragma('application_id') !== APPLICATION_ID) return [FOREIGN];
  const content = { read, tables, version: pragma('user_version'), migrations };
  const damage = await findDamage(database);
  return [
    damage.length === 0
      ? good('Its pages, indexes and photos are whole.')
      : bad(`It is damaged: ${damage.join('; ')}.`, DAMAGED_TODO),
    ...(await contentFindings(content, environment, secretKeys)),
    ...fenceFindings(`sqlite:${path}`, findFence(database)),
  ];
}

function unreadable(path: string, error: unknown): Finding {
  const code = error instanceof SQLiteError ? (error.code ?? '') : '';
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return bad(`${path} is not a database, or is damaged.`, DAMAGED_TODO);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    const found = `${path} is locked by another program, such as an import.`;
    return advice(found, 'Try again when that is done.');
  }
  const reason = error instanceof Error ? error.message : String(error);
  const found = `${path} cannot be read: ${reason}${code === '' ? '' : ` (${code})`}.`;
  return bad(found, 'Check that it is a file and that whoever runs the service may read it.');
}
