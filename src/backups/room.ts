import { existsSync, statfsSync, statSync } from 'node:fs';
import { TransferFailure } from '../storage/transfer/copy.ts';

const MEBIBYTE = 1_048_576;
/** Stays free beside a backup on a disk of its own. */
const SPARE_BYTES = MEBIBYTE;
/** Stays free on the disk of the database, unless a tenth of it is less. */
const DATABASE_SPARE_BYTES = 512 * MEBIBYTE;
const DATABASE_SPARE_PART = 0.1;

/** Returns the bytes of an SQLite database with its log: about those of a backup, at most. */
export function databaseBytes(path: string): number {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns whether a folder is on the disk of a database file; false for no such file. */
export function isOnDiskOf(folder: string, database: string | undefined): boolean {
  if (database === undefined || !existsSync(database)) return false;
  return statSync(folder).dev === statSync(database).dev;
}

/** What a folder has free for backups, and what must stay free beside them, in bytes. */
export function roomIn(folder: string, database: string | undefined) {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (database === undefined || !isOnDiskOf(folder, database)) return { free, spare: SPARE_BYTES };
  const reserve = Math.min(DATABASE_SPARE_BYTES, Math.floor(blocks * bsize * DATABASE_SPARE_PART));
  return { free, spare: Math.max(reserve, databaseBytes(database)) };
}

/**
 * Refuses to fill a disk with a backup of about this size: the service may need it to write. Throws
 * `TransferFailure`.
 */
export function requireRoom(folder: string, bytes: number, database: string | undefined): void {
  const { free, spare } = roomIn(folder, database);
  if (free >= bytes + spare) return;
  const why = isOnDiskOf(folder, database) ? ', as this is the disk of the database' : '';
  throw new TransferFailure(
    `${folder} has no room: ${counted(free)} bytes are free. A backup needs about ${counted(bytes)}, ` +
      `and ${counted(spare)} must stay free${why}.`,
  );
}

function counted(bytes: number): string {
  return bytes.toLocaleString('en');
}
