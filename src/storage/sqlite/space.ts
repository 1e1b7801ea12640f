import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSpace } from '../../domain/storage.ts';
import { codeOf } from './faults.ts';

/** Measures a database in a file. Throws the error of the file system. */
export async function measureSpace(path: string): Promise<DatabaseSpace> {
  const [size, log, disk] = await Promise.all([
    sizeOf(path),
    sizeOf(`${path}-wal`),
    statfs(dirname(path)),
  ]);
  return { size, log, free: disk.bavail * disk.bsize };
}

/** Returns 0 for a file that does not exist, such as a log that was never written. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
