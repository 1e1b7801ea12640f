import { closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileName } from '../address.ts';
import { NoDatabase, UnusableDatabase } from '../unusable.ts';
import { codeOf } from './faults.ts';

/** Permissions of a file that only its owner may read or write. */
export const OWNER_ONLY = 0o600;

/** Another process that has just created the file writes its first page within this time. */
const CREATING_MS = 1_000;
const PAUSE_MS = 20;

/**
 * Throws `UnusableDatabase` if there is no file, or an empty one: that is what a full disk or a failed copy leaves, not a
 * new database.
 */
export function requireFile(path: string): void {
  const end = performance.now() + CREATING_MS;
  for (;;) {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw new NoDatabase(fileName(path));
    if (size > 0) return;
    if (performance.now() > end) throw new UnusableDatabase(emptyFile(path));
    Bun.sleepSync(PAUSE_MS);
  }
}

/** Says what to do about an empty file. */
export function emptyFile(path: string): string {
  return (
    `${path} has 0 bytes: it is no database, and no new one is made in its place. Put a backup there; ` +
    'or remove it, if there never was anything in it.'
  );
}

/**
 * Creates a missing file, readable by its owner only: it holds hashes of keys and names of people.
 * SQLite gives the files beside it the same permissions. An existing file is not opened: closing it
 * would release the locks that this process holds on it. Returns whether it was created.
 */
export function createFile(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return false;
  try {
    // Of a link, its target is created.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    closeSync(openSync(path, isLink ? 'a' : 'wx', OWNER_ONLY));
    return true;
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}
