import { SQLiteError } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { diskFull, unavailable } from '../../domain/failure.ts';
import { NewerSchema } from '../migrations.ts';
import { UnusableDatabase } from '../unusable.ts';

/**
 * Result codes that mean the database cannot be used now, for any statement. The only triggers that
 * refuse writes are those of a fence.
 */
const OUT_OF_SERVICE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|CORRUPT|READONLY|CANTOPEN|NOTADB|NOMEM|PROTOCOL|CONSTRAINT_TRIGGER)/;

/** Returns the code of an error of SQLite or of the file system. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof SQLiteError) return error.code ?? 'SQLITE_ERROR';
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return undefined;
}

/** Returns true when another process holds the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_BUSY');
}

/** Covers the index of the write-ahead log too. */
export function isDiskFull(error: unknown): boolean {
  return /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC)$/.test(codeOf(error) ?? '');
}

/** Runs `work`. Throws `unavailable` when the database is out of service. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SQLiteError && OUT_OF_SERVICE.test(error.code ?? '')) {
      throw isDiskFull(error) ? diskFull(error) : unavailable(error);
    }
    throw error;
  }
}

/** Returns the error to throw when a file cannot be opened: `UnusableDatabase` with advice. */
export function refusal(error: unknown, path: string): unknown {
  if (error instanceof NewerSchema) return new UnusableDatabase(`${path}: ${error.message}`);
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new UnusableDatabase(
      `${path} is not a database, or is damaged; it was left as it is. ` +
        'Choose another file, or put a backup in its place.',
    );
  }
  if (isDiskFull(error)) {
    return new UnusableDatabase(`There is no space left on the disk for ${path}.`);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new UnusableDatabase(
      `${path} is locked by another program, such as a server; try again when it is done.`,
    );
  }
  return new UnusableDatabase(
    `${path} cannot be opened for writing (${code}): check that the folder exists, ` +
      `may be written to and has space left.${ownersOf(path)}`,
  );
}

/** Says whose the file and its folder are, where this process is somebody else. */
function ownersOf(path: string): string {
  const own = process.getuid?.();
  const owners = [dirname(resolve(path)), path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
    const owner = ownerOf(file);
    return owner === undefined || owner === own ? [] : [`${file} belongs to user ${owner}`];
  });
  return owners.length === 0 ? '' : ` This runs as user ${own}, and ${owners.join(', ')}.`;
}

function ownerOf(file: string): number | undefined {
  try {
    return statSync(file).uid;
  } catch {
    // It is missing, or its folder may not be entered.
    return undefined;
  }
}
