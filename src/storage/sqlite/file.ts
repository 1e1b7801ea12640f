import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileName } from '../address.ts';
import { NoDatabase } from '../unusable.ts';
import { codeOf } from './faults.ts';

/** Permissions of a file that only its owner may read or write. */
export const OWNER_ONLY = 0o600;

/** Throws `UnusableDatabase` if there is no file. */
export function requireFile(path: string): void {
  if (!existsSync(path)) throw new NoDatabase(fileName(path));
}

/**
 * Creates a missing file, readable by its owner only: it holds hashes of keys and names of people.
 * SQLite gives the files beside it the same permissions. An existing file is not opened: closing it
 * would release the locks that this process holds on it.
 */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
