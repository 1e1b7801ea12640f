import { Database, SQLiteError, constants as sqlite } from 'bun:sqlite';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileName } from '../storage/address.ts';
import { findDamage } from '../storage/sqlite/damage.ts';
import { findFence } from '../storage/sqlite/fence.ts';
import { emptyFile } from '../storage/sqlite/file.ts';
import { migrations } from '../storage/sqlite/migrations.ts';
import { APPLICATION_ID } from '../storage/sqlite/schema.ts';
import { otherServers } from '../storage/sqlite/server-locks.ts';
import { contentFindings, type Expected, FOREIGN, noDatabaseFinding } from './database.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('database');
const BUSY_TIMEOUT_MS = 2_000;
const DAMAGED_TODO = 'Stop the service, keep the file, and put a backup in its place.';

/** Inspects a database file and its disk. Never throws. */
export async function* inspectSqlite(path: string, expected: Expected): AsyncGenerator<Finding> {
  if (path === ':memory:') {
    yield advice(`It exists only in memory, and ends with the process.
      → Name a file, as in sqlite:data/petstore.db, for anything that must be stored.`);
    return;
  }
  yield* await inspectDatabase(path, expected);
  yield* fileFindings(path);
  if (otherServers(path).length < 2) return;
  yield findingsOf('limits').bad(
    `At least two servers use this database, and each counts limits by itself: a key may send twice what its plan allows.
      → Stop all but one, or give them the same PETSTORE_LIMITS=redis://HOST:PORT.`,
  );
}

async function inspectDatabase(path: string, expected: Expected): Promise<readonly Finding[]> {
  try {
    const size = sizeOf(path);
    if (size === undefined) return [noDatabaseFinding(fileName(path))];
    if (size === 0) return [bad(`${emptyFile(path)}\n→ ${DAMAGED_TODO}`)];
    using database = openToRead(path);
    const content = await Array.fromAsync(inspectContent(database, path, expected));
    return [good(`${path} can be opened.`), ...content];
  } catch (error) {
    return [unreadable(path, error)];
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
  const address = `${pathToFileURL(path).href}${isInUse ? '' : '?immutable=1'}`;
  const readOnly = sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI;
  const database = new Database(address, readOnly);
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}

async function* inspectContent(
  database: Database,
  path: string,
  expected: Expected,
): AsyncGenerator<Finding> {
  const read = <Row>(statement: string) => database.query<Row, []>(statement).all();
  const pragma = (name: string) => read<Record<string, number>>(`PRAGMA ${name}`)[0]?.[name] ?? 0;
  const tables = read<{ name: string }>('SELECT name FROM sqlite_schema').map(({ name }) => name);
  if (tables.length === 0) return yield noDatabaseFinding(fileName(path));
  if (pragma('application_id') !== APPLICATION_ID) return yield FOREIGN;
  const damage = await findDamage(database);
  yield damage.length === 0
    ? good('Its pages, indexes and photos are whole.')
    : bad(`It is damaged: ${damage.join('; ')}.\n→ ${DAMAGED_TODO}`);
  const version = pragma('user_version');
  const fence = findFence(database);
  yield* contentFindings(
    { name: `sqlite:${path}`, read, tables, version, migrations, fence },
    expected,
  );
}

function unreadable(path: string, error: unknown): Finding {
  const code = error instanceof SQLiteError ? (error.code ?? '') : '';
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return bad(`${path} is not a database, or is damaged.\n→ ${DAMAGED_TODO}`);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return advice(`${path} is locked by another program, such as an import.
      → Try again when that is done.`);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return bad(`${path} cannot be read: ${reason}${code === '' ? '' : ` (${code})`}.
    → Check that it is a file and that whoever runs the service may read it.`);
}

const disk = findingsOf('disk');
const MEBIBYTE = 1_048_576;
/** Below this, one burst of writes can fill the disk. */
const FREE_BYTES_MIN = 16 * MEBIBYTE;
const FREE_BYTES_AMPLE = 512 * MEBIBYTE;
/** SQLite empties the log after 1,000 pages, 4 MiB, unless a reader prevents it. */
const LOG_BYTES_MAX = 64 * MEBIBYTE;
const READABLE_BY_OTHERS = 0o004;
const WRITABLE_BY_OTHERS = 0o002;

const mebibytes = (bytes: number) => `${Math.floor(bytes / MEBIBYTE).toLocaleString('en')} MiB`;

/** Inspects the file of a database, the files beside it and their disk. Never throws. */
function* fileFindings(path: string): Generator<Finding> {
  // The first start creates missing folders.
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const isFolder = statSync(folder).isDirectory();
  const closed = isFolder ? denial(folder, constants.W_OK | constants.X_OK) : 'it is no folder';
  yield closed === undefined
    ? disk.good(`Files can be made in ${folder}.`)
    : disk.bad(`No file can be made in ${folder}: ${closed}.
        → Choose another folder, or give it to the user that runs the service.`);
  const { bavail, bsize } = statfsSync(folder);
  const free = `${mebibytes(bavail * bsize)} are free for the database.`;
  const judge = bavail * bsize < FREE_BYTES_MIN ? disk.bad : disk.advice;
  yield bavail * bsize >= FREE_BYTES_AMPLE
    ? disk.good(free)
    : judge(`Only ${free}
        → Make room, or move the database to a larger disk; without room, writes answer 503.`);
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  if (files.length === 0) return;
  for (const file of files) {
    const reason = denial(file, constants.R_OK | constants.W_OK);
    if (reason === undefined) continue;
    yield disk.bad(`${file} cannot be read and written: ${reason}.
      → Give it to the user that runs the service.`);
  }
  yield permissions(files);
  const log = sizeOf(`${path}-wal`) ?? 0;
  const isLarge = log > LOG_BYTES_MAX;
  const size = `The write-ahead log has ${mebibytes(log)}.`;
  yield disk.unless(
    isLarge,
    `${isLarge ? `${size} It should shrink by itself to a few.` : size}
      → End the program with a long-running read of the database; otherwise restart the service.`,
  );
}

/** Returns why a path cannot be accessed in this mode; undefined if it can. */
function denial(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return code === 'EROFS' ? 'its file system is read-only' : `access is denied (${code})`;
  }
}

/** The database holds names of people who adopt, and hashes of keys. */
function permissions(files: readonly string[]): Finding {
  const open = (mask: number) => files.filter((file) => (statSync(file).mode & mask) !== 0);
  const fix = (which: readonly string[]) =>
    `chmod o= ${which.join(' ')}, and run the service with a umask of 0077.`;
  const writable = open(WRITABLE_BY_OTHERS);
  if (writable.length > 0) {
    return disk.bad(`Every user of this machine may change the database.\n→ ${fix(writable)}`);
  }
  const readable = open(READABLE_BY_OTHERS);
  if (readable.length === 0) return disk.good('Other users cannot read the database.');
  return disk.advice(`Every user of this machine may read the database.\n→ ${fix(readable)}`);
}
