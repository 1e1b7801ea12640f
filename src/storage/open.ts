import { existsSync } from 'node:fs';
import type { Environment } from '../domain/deployment.ts';
import type { Later } from '../domain/later.ts';
import type { Storage } from '../domain/storage.ts';
import { openSqliteStorage } from './sqlite/storage.ts';

const SQLITE = 'sqlite:';

/** Says what is wrong with a database address, or undefined for one that can be opened. */
export function databaseAddressProblem(address: string): string | undefined {
  if (address.startsWith(SQLITE) && address.length > SQLITE.length) return undefined;
  return 'must be sqlite:PATH, such as sqlite:data/petstore.db';
}

/** Opens, creates or migrates the database at an address. Throws `UnusableDatabase`. */
export function openStorage(address: string, environment: Environment): Later<Storage> {
  return openSqliteStorage(address.slice(SQLITE.length), environment);
}

/**
 * Opens a database for work that writes nothing: one that is not there yet is taken for an empty
 * one, and is not created. Throws `UnusableDatabase`.
 */
export function openStorageToRead(address: string, environment: Environment): Later<Storage> {
  const exists = existsSync(address.slice(SQLITE.length));
  return openStorage(exists ? address : `${SQLITE}:memory:`, environment);
}
