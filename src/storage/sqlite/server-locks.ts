import { Database } from 'bun:sqlite';
import { existsSync, rmSync } from 'node:fs';
import type { ServerName } from '../migrations.ts';
import { isBusy } from './faults.ts';
import { createFile } from './file.ts';

/** Another process may only be checking the lock. */
const BUSY_TIMEOUT_MS = 50;

/**
 * The files beside a database; each server locks one of them, and names itself in it. The system
 * releases the lock when the process ends for any reason, and the lock works across containers.
 */
function filesOf(path: string): readonly string[] {
  return path === ':memory:' ? [] : [`${path}-server1`, `${path}-server2`];
}

/** Takes a lock. If the files cannot be locked at all, other servers are not detected. */
export function lockAsServer(path: string, server: ServerName) {
  let own: { readonly file: string; readonly lock: Database } | undefined;
  for (const file of filesOf(path)) {
    if (own !== undefined) break;
    try {
      createFile(file);
      const lock = lockFile(file, server);
      if (lock !== undefined) own = { file, lock };
    } catch {
      // The folder may be read-only, or the disk full.
    }
  }
  return {
    release(): void {
      if (own === undefined) return;
      rmSync(own.file, { force: true });
      own.lock.close();
    },
  };
}

/** Returns up to two servers of a database file; undefined for one that does not give its name. */
export function otherServers(path: string): readonly (ServerName | undefined)[] {
  return filesOf(path).filter(isTaken).map(readName);
}

/** Returns the files of servers that ended without closing the database, such as killed ones. */
export function filesLeft(path: string): readonly string[] {
  return filesOf(path).filter((file) => existsSync(file) && !isTaken(file));
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

/**
 * Locks a file until the connection is closed, and writes who did; undefined if another process has
 * locked it. Others can still read the name.
 */
export function lockFile(file: string, server?: ServerName): Database | undefined {
  const lock = new Database(file, { readwrite: true, create: false });
  try {
    lock.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // A power cut ends the server too: waiting for the disk would only delay the start.
    lock.run('PRAGMA synchronous = OFF');
    lock.run('BEGIN EXCLUSIVE');
    if (server === undefined) return lock;
    lock.run('CREATE TABLE IF NOT EXISTS server (process INTEGER, host TEXT, port INTEGER) STRICT');
    lock.run('DELETE FROM server');
    lock.query('INSERT INTO server VALUES (?, ?, ?)').run(server.process, server.host, server.port);
    lock.run('COMMIT');
    lock.run('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function readName(file: string): ServerName | undefined {
  try {
    using lock = new Database(file, { readonly: true });
    return lock.query<ServerName, []>('SELECT process, host, port FROM server').get() ?? undefined;
  } catch {
    // Releases before this one lock the file without a name.
    return undefined;
  }
}
