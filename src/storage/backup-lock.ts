import { databaseAddress } from './address.ts';
import { createConnect } from './postgres/primary.ts';
import { createFile } from './sqlite/file.ts';
import { lockFile } from './sqlite/server-locks.ts';

/** "BACK": the advisory lock of the process that makes backups by itself. */
const LOCK = 0x4241434bn;

/** Gives a lock back. */
type Release = () => void;

/**
 * Lets one process at a time make backups of a database. Returns undefined if another one has the lock,
 * which ends with its process. Throws if the database cannot be reached, or a file not be made beside it.
 */
export async function lockBackups(address: string): Promise<Release | undefined> {
  const database = databaseAddress(address);
  return database.engine === 'postgres'
    ? await lockPostgres(database.url)
    : lockSqlite(`${database.path}-backup`);
}

async function lockPostgres(url: string): Promise<Release | undefined> {
  const connection = await createConnect(url)();
  try {
    const [row] = await connection.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS taken',
      LOCK,
    );
    if (row?.taken) return connection.end;
  } catch (error) {
    connection.end();
    throw error;
  }
  connection.end();
  return undefined;
}

/** The file stays: a lock on one that was removed would lock nobody out. */
function lockSqlite(file: string): Release | undefined {
  createFile(file);
  const lock = lockFile(file);
  return lock && (() => lock.close());
}
