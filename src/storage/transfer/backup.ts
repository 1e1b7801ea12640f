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
import type { PortableDatabase } from '../portable-database.ts';
import { checkBackupFile, createBackupFile } from '../sqlite/backup-file.ts';
import { type Counts, copyDatabase, hold } from './copy.ts';
import { reasonOf, TransferFailure } from './failure.ts';
import { continueAfter, type Progress } from './progress.ts';

/** Where a backup goes. */
export interface BackupDestination {
  readonly path: string;
  /** Whether a file that is there is replaced. */
  readonly force: boolean;
  /** The file that the shop itself is in, if any: neither it nor those beside it are replaced. */
  readonly own: string | undefined;
}

/**
 * Writes one state of a shop into a file of SQLite, while others go on writing: read back,
 * compared, checked and on disk when this answers. Until then there is no file of that name, or
 * the one from before. Throws `TransferFailure` and `UnusableDatabase`.
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
    flush(partial);
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

/** What SQLite adds to the name of a database for the files beside it; they come and go. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/** Whether a path leads to the file of a database, or to where SQLite keeps one beside it. */
function isOfDatabase(path: string, database: string): boolean {
  const target = join(realpathSync(dirname(path)), basename(path));
  const found = statSync(path, { throwIfNoEntry: false });
  return BESIDE.some((suffix) => {
    const own = statSync(database + suffix, { throwIfNoEntry: false });
    const isSame = own !== undefined && own.ino === found?.ino && own.dev === found.dev;
    return isSame || target === database + suffix;
  });
}

/** Brings a file, or the names in a folder, to the disk. */
function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
