import { Database } from 'bun:sqlite';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { createTemporaryFolder } from './temporary.ts';

/** A database that a test has for itself, and ways to do to it what other programs do. */
export interface TestDatabase extends AsyncDisposable {
  /** As PETSTORE_DATABASE takes it. */
  readonly address: string;
  /** Runs a statement through a connection of its own; integers come back as `bigint`. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
  /** Keeps others from writing until it is disposed of, as a long import would. */
  holdWrites(): Promise<AsyncDisposable>;
  /** Damages the database while it is in use, so that it can be neither read nor written. */
  destroy(): Promise<void>;
}

/** A database engine that the service runs on. */
export interface TestEngine {
  readonly name: string;
  createDatabase(): Promise<TestDatabase>;
}

/** A SQLite database in a file of this path, which is removed by whoever owns its folder. */
export function sqliteDatabaseAt(path: string): TestDatabase {
  const connect = () => {
    const database = new Database(path, { create: true, safeIntegers: true });
    database.run('PRAGMA busy_timeout = 5000');
    return database;
  };

  return {
    address: `sqlite:${path}`,
    async sql(statement) {
      using database = connect();
      return database.query<Record<string, unknown>, []>(statement).all();
    },
    async holdWrites() {
      const database = connect();
      database.run('BEGIN EXCLUSIVE');
      return {
        async [Symbol.asyncDispose]() {
          database.run('ROLLBACK');
          database.close();
        },
      };
    },
    async destroy() {
      // All that was committed moves into the file, then the file is overwritten.
      using database = connect();
      database.run('PRAGMA wal_checkpoint(TRUNCATE)');
      const file = openSync(path, 'r+');
      ftruncateSync(file, 0);
      writeSync(file, Buffer.alloc(65_536, 'not a database '));
      closeSync(file);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const sqlite: TestEngine = {
  name: 'sqlite',
  async createDatabase() {
    const folder = createTemporaryFolder();
    return {
      ...sqliteDatabaseAt(folder.file('petstore.db')),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
};

/** Every engine there is: the conformance suite runs on each. */
export const engines: readonly TestEngine[] = [sqlite];

/** The engine that the tests of the whole service run on. */
export function chosenEngine(): TestEngine {
  const name = process.env['PETSTORE_TEST_ENGINE'] ?? sqlite.name;
  const engine = engines.find((known) => known.name === name);
  if (engine === undefined) throw new Error(`PETSTORE_TEST_ENGINE names no engine: ${name}`);
  return engine;
}
