import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { addressName, databaseAddress } from './address.ts';
import { createConnect } from './postgres/primary.ts';
import { OWNER_ONLY } from './sqlite/file.ts';

/** Tells one database from another, also from a copy of it. */
export interface Identity {
  readonly id: string;
  /** Its address, without a password, and the machine of a file. */
  readonly name: string;
}

/**
 * Returns the identity of a database. That of SQLite is in a file beside it, so it belongs to the place, not the content:
 * a backup restored there counts as the same database, and a copy elsewhere as another one. `create` makes a missing
 * file, for the holder of `lockBackups`; otherwise `id` is empty.
 */
export async function identityOf(address: string, create: boolean): Promise<Identity> {
  const database = databaseAddress(address);
  const name = addressName(address);
  if (database.engine === 'postgres') return { id: await askPostgres(database.url), name };
  const file = `${database.path}-backup-id`;
  const found = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const id = found === '' && create ? crypto.randomUUID() : found;
  if (id !== found) writeFileSync(file, `${id}\n`, { mode: OWNER_ONLY });
  return { id, name: `${name} on ${hostname()}` };
}

/** The cluster, whose standby keeps its identifier, and the database in it. */
async function askPostgres(url: string): Promise<string> {
  const connection = await createConnect(url)();
  try {
    const [row] = await connection.query<{ id: string }>(
      `SELECT system_identifier || '-' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS id
       FROM pg_control_system()`,
    );
    return row?.id ?? '';
  } finally {
    connection.end();
  }
}
