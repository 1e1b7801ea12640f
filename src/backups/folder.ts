import { readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../domain/deployment.ts';
import { TransferFailure } from '../storage/transfer/copy.ts';
import { type BackupPlace, inOrder, timeOf } from './place.ts';

const MEBIBYTE = 1_048_576;
/** Stays free beside a backup: the database may be on the same disk. */
const SPARE_BYTES = MEBIBYTE;

/** The end of the name of a backup that is not complete. */
const PARTIAL = /\.[0-9a-f]{8}\.partial$/;

/** Keeps backups in a folder, which must exist: it may be a disk that is not mounted. */
export function createFolder(given: string, environment: Environment): BackupPlace {
  const folder = resolve(given);
  const isOurs = (name: string) => timeOf(environment, name) !== undefined;

  return {
    async list() {
      const backups = namesIn(folder).flatMap((name) => {
        const at = timeOf(environment, name);
        if (at === undefined) return [];
        const found = statSync(join(folder, name), { throwIfNoEntry: false });
        return found?.isFile() ? [{ name, at, bytes: found.size }] : [];
      });
      return inOrder(backups);
    },
    async store(name, bytes, write) {
      const path = join(folder, name);
      requireRoom(folder, bytes);
      await write(path);
      return statSync(path).size;
    },
    async remove(name) {
      rmSync(join(folder, name), { force: true });
    },
    clean() {
      for (const name of namesIn(folder)) {
        const isCutOff = PARTIAL.test(name) && isOurs(name.replace(PARTIAL, ''));
        if (isCutOff) rmSync(join(folder, name), { force: true });
      }
    },
  };
}

function namesIn(folder: string): readonly string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return readdirSync(folder);
  throw new TransferFailure(
    isFolder === undefined ? `there is no folder ${folder}.` : `${folder} is no folder.`,
  );
}

/** Refuses to fill a disk: the service may need it to write. Throws `TransferFailure`. */
export function requireRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const [free, needed] = [bavail * bsize, bytes + SPARE_BYTES];
  if (free >= needed) return;
  throw new TransferFailure(
    `${folder} has no room: ${mebibytes(free)} MiB are free, and a backup needs about ` +
      `${mebibytes(needed)}.`,
  );
}

function mebibytes(bytes: number): string {
  return Math.ceil(bytes / MEBIBYTE).toLocaleString('en');
}
