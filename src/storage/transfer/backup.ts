import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Shop } from '../shop.ts';
import { checkBackupFile, createBackupFile } from '../sqlite/backup-file.ts';
import { type Counts, copyShop, hold } from './copy.ts';
import { reasonOf, TransferFailure } from './failure.ts';
import { goOn, type Progress } from './progress.ts';

/** Where a backup goes. */
export interface BackupPlace {
  readonly path: string;
  /** Whether a file that is there is replaced. */
  readonly force: boolean;
  /** The file that the shop itself is in, if it is in one: never replaced. */
  readonly own: string | undefined;
}

/**
 * Writes one state of a shop into a file of SQLite, while others go on writing: read back,
 * compared, checked and on disk when this answers. Until then there is no file of that name, or
 * the one from before. Throws `TransferFailure` and `UnusableDatabase`.
 */
export async function backUp(
  source: Shop,
  place: BackupPlace,
  progress: Progress,
): Promise<Counts> {
  checkPlace(place);
  const { path } = place;
  const partial = `${path}.${crypto.randomUUID().slice(0, 8)}.partial`;
  try {
    const counts = await fill(source, partial, progress);
    await checkBackupFile(partial, () => goOn(progress));
    flush(partial);
    await goOn(progress);
    checkPlace(place);
    renameSync(partial, path);
    flush(dirname(path));
    return counts;
  } catch (error) {
    throw new TransferFailure(`${reasonOf(error)} There is no new backup.`);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function fill(source: Shop, path: string, progress: Progress): Promise<Counts> {
  const file = createBackupFile(path, source.environment);
  try {
    await hold(file, progress);
    await source.beginSnapshot();
    const counts = await copyShop(source, file, progress);
    await file.commit();
    return counts;
  } finally {
    await source.rollBack();
    await file.close();
  }
}

function checkPlace({ path, force, own }: BackupPlace): void {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new TransferFailure(`there is no folder ${folder}.`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const itself = own === undefined ? undefined : statSync(own, { throwIfNoEntry: false });
  if (itself?.ino === found.ino && itself.dev === found.dev) {
    throw new TransferFailure(`${path} is the database itself; choose another file.`);
  }
  if (found.isDirectory()) throw new TransferFailure(`${path} is a folder; name a file in it.`);
  if (!force) throw new TransferFailure(`${path} exists; choose another file, or say --force.`);
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
