import type { Database } from 'bun:sqlite';
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Environment } from '../../domain/deployment.ts';
import { fileName } from '../address.ts';
import { describeServer } from '../migrations.ts';
import type { OpeningNotices } from '../opening.ts';
import type { Compacted } from '../portable-database.ts';
import { UnusableDatabase } from '../unusable.ts';
import { openConnection } from './connection.ts';
import { refusal } from './faults.ts';
import { otherServers } from './server-locks.ts';
import { measureSpace } from './space.ts';

/** The wait for writers and readers of other processes. */
const BUSY_TIMEOUT_MS = 5_000;
/** A log up to this size is not mentioned. */
const LOG_BYTES_SMALL = 4_194_304;
/** Writing this much takes less than a second, during which the writes of a server wait. */
const BESIDE_SERVER_BYTES_MAX = 64 * 1_048_576;

/**
 * Rewrites a file without the free pages, and empties its log. Reads go on meanwhile, and writes of other
 * processes wait.
 */
export async function compactSqlite(
  path: string,
  environment: Environment,
  force: boolean,
  notices: OpeningNotices,
): Promise<Compacted> {
  const database = openConnection(path, environment, { ...notices, access: 'change' });
  try {
    const bytes = bytesInUse(database);
    if (!force) refuseBesideServer(path, bytes);
    refuseWithoutSpace(path, bytes);
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const { size: before } = await measureSpace(path);
    database.run('VACUUM');
    const isEmptied = emptyLog(database);
    const { size: after, log } = await measureSpace(path);
    return { before, after, hint: hintOf(isEmptied, log) };
  } catch (error) {
    throw refusal(error, path);
  } finally {
    database.close();
  }
}

function bytesInUse(database: Database): number {
  const pragma = (name: string) =>
    Number(database.query<Record<string, bigint>, []>(`PRAGMA ${name}`).get()?.[name]);
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
}

/** Moves the new pages from the log into the file. Returns false if a reader prevents it. */
function emptyLog(database: Database): boolean {
  const emptied = database.query<{ busy: bigint }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
  return emptied?.busy === 0n;
}

function hintOf(isEmptied: boolean, logBytes = 0): string | undefined {
  const log = logBytes < LOG_BYTES_SMALL ? '' : `Its write-ahead log has ${megabytes(logBytes)}. `;
  if (!isEmptied) return `${log}The file shrinks when the program that reads it is done.`;
  return log === '' ? undefined : `${log}The server empties it as it writes.`;
}

function refuseBesideServer(path: string, bytes: number): void {
  const servers = otherServers(path);
  if (servers.length === 0 || bytes <= BESIDE_SERVER_BYTES_MAX) return;
  const seconds = Math.ceil(bytes / BESIDE_SERVER_BYTES_MAX);
  throw new UnusableDatabase(
    `${fileName(path)} is in use by ${describeServer(servers[0])}, and has ${megabytes(bytes)}: to rewrite them ` +
      `takes about ${seconds} s, in which the server refuses writes with 503. Nothing was changed. Stop the ` +
      'server first, or say --force.',
  );
}

/** SQLite writes a copy to its folder for temporary files, and then to the log. */
function refuseWithoutSpace(path: string, bytes: number): void {
  const folder = dirname(resolve(path));
  const temporary = temporaryFolder();
  const isOneDisk = statSync(folder).dev === statSync(temporary).dev;
  for (const [place, needed] of isOneDisk
    ? [[folder, 2 * bytes] as const]
    : [[folder, bytes] as const, [temporary, bytes] as const]) {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize >= needed) continue;
    throw new UnusableDatabase(
      `To compact ${fileName(path)}, ${megabytes(needed)} must be free on the disk of ${place}, and ` +
        `${megabytes(bavail * bsize)} are. Nothing was changed. Make room; SQLITE_TMPDIR names ` +
        'another folder for the temporary half of it.',
    );
  }
}

/** The folder that SQLite chooses for temporary files. */
function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const places = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return places.find((place) => place !== undefined && isWritableFolder(place)) ?? '.';
}

function isWritableFolder(place: string): boolean {
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
