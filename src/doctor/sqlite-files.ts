import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad, unless } = findingsOf('disk');
const MEBIBYTE = 1_048_576;
/** Below this, one burst of writes can fill the disk. */
const FREE_BYTES_MIN = 16 * MEBIBYTE;
const FREE_BYTES_AMPLE = 512 * MEBIBYTE;
/** SQLite empties the log after 1,000 pages, 4 MiB, unless a reader prevents it. */
const LOG_BYTES_MAX = 64 * MEBIBYTE;
const READABLE_BY_OTHERS = 0o004;
const WRITABLE_BY_OTHERS = 0o002;
const OWNER = 'Give it to the user that runs the service.';

const mebibytes = (bytes: number) => `${Math.floor(bytes / MEBIBYTE).toLocaleString('en')} MiB`;

/** Inspects the file of a database, the files beside it and their disk. Never throws. */
export function inspectFiles(path: string): readonly Finding[] {
  // The first start creates missing folders.
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  const found = [folderFinding(folder), freeSpace(folder)];
  if (files.length === 0) return found;
  for (const file of files) {
    const reason = denial(file, constants.R_OK | constants.W_OK);
    if (reason !== undefined)
      found.push(bad(`${file} cannot be read and written: ${reason}.`, OWNER));
  }
  return [...found, permissions(files), logSize(`${path}-wal`)];
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

function folderFinding(folder: string): Finding {
  const reason = statSync(folder).isDirectory()
    ? denial(folder, constants.W_OK | constants.X_OK)
    : 'it is no folder';
  if (reason === undefined) return good(`Files can be made in ${folder}.`);
  const todo = 'Choose another folder, or give it to the user that runs the service.';
  return bad(`No file can be made in ${folder}: ${reason}.`, todo);
}

function freeSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  const found = `${mebibytes(freeBytes)} are free for the database.`;
  if (freeBytes >= FREE_BYTES_AMPLE) return good(found);
  const todo = 'Make room, or move the database to a larger disk; without room, writes answer 503.';
  return (freeBytes < FREE_BYTES_MIN ? bad : advice)(`Only ${found}`, todo);
}

/** The database holds names of people who adopt, and hashes of keys. */
function permissions(files: readonly string[]): Finding {
  const open = (mask: number) => files.filter((file) => (statSync(file).mode & mask) !== 0);
  const fix = (which: readonly string[]) =>
    `chmod o= ${which.join(' ')}, and run the service with a umask of 0077.`;
  const writable = open(WRITABLE_BY_OTHERS);
  if (writable.length > 0) {
    return bad('Every user of this machine may change the database.', fix(writable));
  }
  const readable = open(READABLE_BY_OTHERS);
  if (readable.length === 0) return good('Other users cannot read the database.');
  return advice('Every user of this machine may read the database.', fix(readable));
}

function logSize(log: string): Finding {
  const bytes = existsSync(log) ? statSync(log).size : 0;
  const isLarge = bytes > LOG_BYTES_MAX;
  const found = `The write-ahead log has ${mebibytes(bytes)}.`;
  const todo =
    'End the program with a long-running read of the database; otherwise restart the service.';
  return unless(isLarge, isLarge ? `${found} It should shrink by itself to a few.` : found, todo);
}
