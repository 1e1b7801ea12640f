import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { appendChecksum } from '../checksum.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { checkBackupFile, createBackupFile } from '../sqlite/backup-file.ts';
import {
  type Counts,
  continueAfter,
  copyDatabase,
  hold,
  type Progress,
  reasonOf,
  TransferFailure,
} from './copy.ts';

/** The destination of a backup. */
interface BackupDestination {
  readonly path: string;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** The file of the database itself, if any: neither it nor the files beside it are replaced. */
  readonly own: string | undefined;
}

/**
 * Writes one state of a database into an SQLite file while others write. When it returns, the file
 * is read back, compared, checked and on disk. Until then the path is missing, or holds the old file. Throws `TransferFailure` and `UnusableDatabase`.
 */
export async function backUp(
  source: PortableDatabase,
  target: BackupDestination,
  progress: Progress,
): Promise<Counts> {
  checkPlace(target);
  const { path } = target;
  const partial = `${path}.${crypto.randomUUID().slice(0, 8)}.partial`;
  try {
    const counts = await fill(source, partial, progress);
    await checkBackupFile(partial, () => continueAfter(progress));
    await appendChecksum(partial, () => continueAfter(progress));
    await continueAfter(progress);
    checkPlace(target);
    renameSync(partial, path);
    flush(dirname(path));
    return counts;
  } catch (error) {
    throw new TransferFailure(`${reasonOf(error)} There is no new backup.`);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function fill(source: PortableDatabase, path: string, progress: Progress): Promise<Counts> {
  const file = createBackupFile(path, source.environment);
  try {
    await hold(file, progress);
    await source.beginSnapshot();
    const counts = await copyDatabase(source, file, progress);
    await file.commit();
    return counts;
  } finally {
    await source.rollBack();
    await file.close();
  }
}

function checkPlace({ path, force, own }: BackupDestination): void {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new TransferFailure(`there is no folder ${folder}.`);
  if (own !== undefined && isOfDatabase(path, realpathSync(own))) {
    throw new TransferFailure(`${path} is a file of the database itself; choose another one.`);
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) throw new TransferFailure(`${path} is a folder; name a file in it.`);
  if (!force) throw new TransferFailure(`${path} exists; choose another file, or say --force.`);
}

/** Suffixes of the files that SQLite creates beside a database. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/** Returns true for the file of a database and for the files beside it. */
function isOfDatabase(path: string, database: string): boolean {
  const target = join(realpathSync(dirname(path)), basename(path));
  const found = statSync(path, { throwIfNoEntry: false });
  return BESIDE.some((suffix) => {
    const own = statSync(database + suffix, { throwIfNoEntry: false });
    const isSame = own !== undefined && own.ino === found?.ino && own.dev === found.dev;
    return isSame || target === database + suffix;
  });
}

/** Flushes the names in a folder to disk. */
function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
