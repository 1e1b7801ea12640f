import type { Database } from 'bun:sqlite';
import type { Environment } from '../../domain/deployment.ts';
import { unavailable } from '../../domain/failure.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage, StorageObserver } from '../../domain/storage.ts';
import { writeRefusal } from '../fence.ts';
import type { Opening } from '../opening.ts';
import { TABLES } from '../tables.ts';
import { createAllowanceStorage } from './allowances.ts';
import { createCategoryStorage } from './categories.ts';
import { clearTables } from './clear.ts';
import { openConnection } from './connection.ts';
import { attempt } from './faults.ts';
import { findFence } from './fence.ts';
import { createGroupCommit, type Write, writeInside } from './group-commit.ts';
import { createHistory } from './history.ts';
import { createIdempotencyStorage } from './idempotency.ts';
import { createKeyStorage } from './keys.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import { createOrderStorage } from './orders.ts';
import { createPetRows } from './pet-rows.ts';
import { createPetStorage } from './pets.ts';
import { takeServingPlace } from './serving-places.ts';
import { createRecordsVersion } from './version.ts';

/** Tables that a reset empties: all except the keys and their counts. */
const RESET = TABLES.filter(({ name }) => name !== 'api_keys' && name !== 'allowances');

/** Opens the embedded storage in a file, or in memory for `:memory:`. Throws `UnusableDatabase`. */
export function openSqliteStorage(
  path: string,
  environment: Environment,
  opening: Opening = {},
  observer?: StorageObserver,
): Storage {
  const database = openConnection(path, environment, opening);
  const target = opening.alsoServed && takeServingPlace(path);
  if (target?.isShared) opening.alsoServed?.();
  const write = createGroupCommit(database, observer);
  const version = createRecordsVersion(database, path, write);
  const names = createNameIndex(database);
  // SQLite would return a constant without reading the file.
  const ping = database.query('SELECT environment FROM deployment');

  return {
    ...createRecords(database, version.write, names),
    recordsVersion() {
      try {
        return version.read();
      } catch {
        // Reading the records throws the error.
        return undefined;
      }
    },
    keys: createKeyStorage(database, write),
    allowances: createAllowanceStorage(database, write),
    idempotency: createIdempotencyStorage(database, createRecords(database, writeInside, names), {
      withRecords: version.write,
      resultsOnly: write,
    }),
    isFenced: () => attempt(() => findFence(database) !== undefined),
    ping: () => attempt(() => void ping.get()),
    reset: () =>
      version.write(() => {
        const fence = findFence(database);
        if (fence !== undefined) throw unavailable(new Error(writeRefusal(fence)));
        clearTables(database, RESET);
      }),
    // The records stay the same, and so does their version.
    optimize: () => names.optimize(write),
    pool: () => undefined,
    async close() {
      // Finishes waiting writes first; if that fails, their callers get the error.
      await Promise.allSettled([write(() => undefined)]);
      version.close();
      database.close();
      target?.release();
    },
  };
}

/** Creates the records. `write` is the group commit, or runs inside a transaction. */
export function createRecords(
  database: Database,
  write: Write,
  names: NameIndex = createNameIndex(database),
): Records {
  const history = createHistory(database);
  const rows = createPetRows(database, history, names);
  return {
    pets: createPetStorage(database, { rows, history, names }, write),
    categories: createCategoryStorage(database, write),
    orders: createOrderStorage(database, rows, write),
  };
}
