import { Database } from 'bun:sqlite';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { postgres } from './postgres-engine.ts';
import { createTemporaryFolder } from './temporary.ts';
import type { TestDatabase, TestEngine } from './test-database.ts';

export type { TestDatabase, TestEngine };

/** A SQLite database at this path; the owner of the folder removes it. */
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
      // The reads of this turn share a transaction, which would hold up the checkpoint.
      await new Promise(setImmediate);
      // Move all commits into the main file, then overwrite it.
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

export const sqlite: TestEngine = {
  name: 'sqlite',
  async createDatabase() {
    const folder = createTemporaryFolder();
    return {
      ...sqliteDatabaseAt(folder.file('petstore.db')),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
};

/** The engine of tests that run on any: SQLite, or what PETSTORE_TEST_ENGINE names. */
export function chosenEngine(): TestEngine {
  const name = process.env['PETSTORE_TEST_ENGINE'] ?? sqlite.name;
  const engine = [sqlite, postgres].find((known) => known.name === name);
  if (engine === undefined) throw new Error(`PETSTORE_TEST_ENGINE names no engine: ${name}`);
  return engine;
}
