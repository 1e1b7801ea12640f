import type { Environment } from '../../domain/deployment.ts';
import type { Storage } from '../../domain/storage.ts';
import { createAllowanceStorage } from './allowances.ts';
import { attempt, openConnection } from './connection.ts';
import { createKeyStorage } from './keys.ts';
import { createPetStorage } from './pets.ts';

/** Opens the embedded storage in a file, or in memory for `:memory:`. Throws `UnusableDatabase`. */
export function openSqliteStorage(path: string, environment: Environment): Storage {
  const database = openConnection(path, environment);
  // Reads the file: a constant alone would be answered without it.
  const ping = database.query('SELECT environment FROM deployment');

  const reset = database.transaction(() => {
    database.run('DELETE FROM pets');
    database.run('DELETE FROM categories');
  });

  return {
    pets: createPetStorage(database),
    keys: createKeyStorage(database),
    allowances: createAllowanceStorage(database),
    ping: () => attempt(() => void ping.get()),
    reset: () => attempt(() => reset.immediate()),
    close: () => database.close(),
  };
}
