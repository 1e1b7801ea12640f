import { Database } from 'bun:sqlite';
import { existsSync, rmSync } from 'node:fs';
import { createFile } from './connection.ts';
import { isBusy } from './faults.ts';

/** Another process may only be checking the lock. */
const LOOKING_MS = 50;

/** A place among the servers of a database file. */
export interface ServingPlace {
  /** True when another server already had one. */
  readonly isShared: boolean;
  release(): void;
}

/**
 * The files beside a database; each server locks one of them. The system releases the lock when the
 * process ends for any reason, and the lock works across containers.
 */
function placesOf(path: string): readonly string[] {
  return [`${path}-server1`, `${path}-server2`];
}

/** Takes a place. If the files cannot be locked at all, other servers are not detected. */
export function takeServingPlace(path: string): ServingPlace {
  let isShared = false;
  let own: { readonly file: string; readonly lock: Database } | undefined;
  for (const file of path === ':memory:' ? [] : placesOf(path)) {
    if (own !== undefined && !existsSync(file)) continue;
    try {
      createFile(file);
      const lock = lockFile(file);
      if (own === undefined && lock !== undefined) own = { file, lock };
      else lock?.close();
      isShared ||= lock === undefined;
    } catch {
      // The folder may be read-only, or the disk full.
    }
  }
  return {
    isShared,
    release() {
      if (own === undefined) return;
      rmSync(own.file, { force: true });
      own.lock.close();
    },
  };
}

/** Counts the servers that have a place, up to two. */
export function countServers(path: string): number {
  return placesOf(path).filter(isTaken).length;
}

function isTaken(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const lock = lockFile(file);
    lock?.close();
    return lock === undefined;
  } catch {
    return false;
  }
}

/** Locks a file until the connection is closed; undefined if another process has locked it. */
function lockFile(file: string): Database | undefined {
  const lock = new Database(file, { readwrite: true, create: false });
  try {
    lock.run(`PRAGMA busy_timeout = ${LOOKING_MS}`);
    lock.run('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
