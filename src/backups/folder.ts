import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../domain/deployment.ts';
import { TransferFailure } from '../storage/transfer/copy.ts';
import { type BackupPlace, canBeBackup, inOrder, markOf, timeOf } from './place.ts';
import { requireRoom } from './room.ts';

/** The end of the name of a backup that is not complete. */
const PARTIAL = /\.[0-9a-f]{8}\.partial$/;

/**
 * Keeps backups in a folder, which must exist, since a missing one may be a disk that is not mounted. `database` is the
 * file of an SQLite database: more must stay free on its disk.
 */
export function createFolder(
  given: string,
  environment: Environment,
  database?: string,
): BackupPlace {
  const folder = resolve(given);
  const mark = join(folder, markOf(environment));
  const isOurs = (name: string) => timeOf(environment, name) !== undefined;

  return {
    async list() {
      const backups = namesIn(folder).flatMap((name) => {
        const at = timeOf(environment, name);
        if (at === undefined) return [];
        const found = statSync(join(folder, name), { throwIfNoEntry: false });
        return found?.isFile() && canBeBackup(found.size) ? [{ name, at, bytes: found.size }] : [];
      });
      return inOrder(backups);
    },
    async store(name, bytes, write) {
      const path = join(folder, name);
      requireRoom(folder, bytes, database);
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
    mark,
    async readMark() {
      namesIn(folder);
      return existsSync(mark) ? readFileSync(mark, 'utf8') : undefined;
    },
    async writeMark(text) {
      // If two processes write at once, one of them must fail.
      writeFileSync(mark, text, { flag: 'wx' });
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
