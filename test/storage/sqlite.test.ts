import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { openStorage } from '../../src/storage/open.ts';
import { clearTables } from '../../src/storage/sqlite/clear.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { migrations } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/storage.ts';
import { RESET } from '../../src/storage/tables.ts';
import { UnusableDatabase } from '../../src/storage/unusable.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { animal, imported } from './subject.ts';

/** Tries to open a file and returns the message of the refusal. */
async function refusalOf(path: string, environment: 'production' | 'staging' = 'production') {
  try {
    const storage = await openStorage(`sqlite:${path}`, environment);
    await storage.close();
  } catch (error) {
    if (error instanceof UnusableDatabase) return error.message;
    throw error;
  }
  throw new Error('the database was opened');
}

test('only the owner may access a new database, and an existing one keeps its permissions', () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const permissions = () =>
    readdirSync(folder.path)
      .toSorted()
      .map((name) => [name, statSync(folder.file(name)).mode & 0o777]);
  openConnection(path, 'production').close();
  expect(permissions()).toEqual([['petstore.db', 0o600]]);
  chmodSync(path, 0o640);
  using database = openConnection(path, 'production');
  database.run('UPDATE deployment SET environment = environment');
  expect(permissions()).toEqual([
    ['petstore.db', 0o640],
    ['petstore.db-shm', 0o640],
    ['petstore.db-wal', 0o640],
  ]);
});

describe('a refused file is left as it was', () => {
  test.each([
    ['text', Buffer.from('These are my notes.\n'.repeat(100))],
    ['a few bytes', Buffer.from('abc')],
    ['a header and nothing after it', Buffer.from('SQLite format 3\0')],
    [
      'a header and junk after it',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(9000, 7)]),
    ],
  ])('a file that is not a database: %s', async (_, bytes) => {
    using folder = createTemporaryFolder();
    const path = folder.file('notes.txt');
    writeFileSync(path, bytes);
    expect(await refusalOf(path)).toMatch(/is not a database, or is damaged/);
    expect(readFileSync(path)).toEqual(bytes);
    expect(readdirSync(folder.path)).toEqual(['notes.txt']);
  });

  test('a database of another program', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('other.db');
    {
      using other = new Database(path);
      other.run('CREATE TABLE pets (id INTEGER PRIMARY KEY)');
    }
    const before = readFileSync(path);
    expect(await refusalOf(path)).toMatch(/another program/);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder.path)).toEqual(['other.db']);
  });

  test('a database with a newer schema', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    openConnection(path, 'production').close();
    {
      using later = new Database(path);
      later.run(`PRAGMA user_version = ${migrations.length + 1}`);
      later.run('PRAGMA wal_checkpoint(TRUNCATE)');
    }
    const before = readFileSync(path);
    const message = await refusalOf(path);
    expect(message).toContain(`schema version ${migrations.length + 1}`);
    expect(message).toContain(`only ${migrations.length}`);
    expect(readFileSync(path)).toEqual(before);
  });

  test('a database of the other deployment', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    openConnection(path, 'staging').close();
    const before = readFileSync(path);
    const message = await refusalOf(path, 'production');
    expect(message).toMatch(/belongs to the staging deployment.*--environment staging/);
    expect(readFileSync(path)).toEqual(before);
    openConnection(path, 'staging').close();
  });

  test('a folder instead of a file', async () => {
    using folder = createTemporaryFolder();
    expect(await refusalOf(folder.path)).toContain('cannot be opened');
  });
});

describe('opening', () => {
  test('creates missing folders', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('a/b/petstore.db');
    const storage = await openStorage(`sqlite:${path}`, 'production');
    await storage.close();
    expect(existsSync(path)).toBe(true);
  });

  test.each(['/proc/petstore.db', '/proc/petstore/petstore.db', '/sys/petstore.db'])(
    'fails with a clear message in a read-only place: %s',
    async (path) => {
      expect(await refusalOf(path)).toMatch(/cannot be opened for writing.*may be written to/);
    },
  );

  test('a path under a file is refused', async () => {
    using folder = createTemporaryFolder();
    writeFileSync(folder.file('file'), 'x');
    expect(await refusalOf(folder.file('file/petstore.db'))).toContain('cannot be opened');
  });

  test('fails with a clear message while another program locks the file', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    openConnection(path, 'production').close();
    using other = new Database(path);
    other.run('PRAGMA locking_mode = EXCLUSIVE');
    other.run('BEGIN EXCLUSIVE');
    expect(await refusalOf(path)).toMatch(/locked by another program/);
  }, 60_000);

  test('makes every commit durable and enforces the constraints of the schema', () => {
    using folder = createTemporaryFolder();
    using database = openConnection(folder.file('petstore.db'), 'production');
    const pragma = (name: string) => Object.values(database.query(`PRAGMA ${name}`).get() ?? {})[0];
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2n);
    expect(pragma('foreign_keys')).toBe(1n);
    // The writer does its own waiting, between turns of the event loop.
    expect(pragma('busy_timeout')).toBe(0n);
    expect(pragma('application_id')).toBe(0x50455453n);
    expect(pragma('user_version')).toBe(BigInt(migrations.length));
    const tables = database
      .query<{ name: string; strict: bigint }, []>(
        `SELECT name, strict FROM pragma_table_list
         WHERE name NOT LIKE 'sqlite_%' AND type = 'table'`,
      )
      .all();
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.filter(({ strict }) => strict !== 1n)).toEqual([]);
  });

  test.each([
    "INSERT INTO pets VALUES (1, '', '', 1, 'sold', NULL, 0, 0)",
    "INSERT INTO pets VALUES (1, 'a', 'a', 1, 'gone', NULL, 0, 0)",
    "INSERT INTO pets VALUES (1, 'a', 'a', 1, 'sold', NULL, 2, 0)",
    "INSERT INTO pets VALUES (1, 'a', 'a', 1.5, 'sold', NULL, 0, 0)",
    "INSERT INTO pets VALUES (1, 'a', 'a', 1, NULL, NULL, 0, 0)",
    "INSERT INTO pets VALUES (0, 'a', 'a', 1, 'sold', NULL, 0, 0)",
    "INSERT INTO pets VALUES (9007199254740992, 'a', 'a', 1, 'sold', NULL, 0, 0)",
    "INSERT INTO pets VALUES (8, 'a', 'a', 1, 'sold', 'taken', 0, 0)",
    "INSERT INTO deployment VALUES ('test')",
  ])('the schema itself refuses %s', (statement) => {
    using folder = createTemporaryFolder();
    using database = openConnection(folder.file('petstore.db'), 'production');
    database.run("INSERT INTO pets VALUES (7, 'a', 'a', 1, 'sold', 'taken', 0, 0)");
    expect(() => database.run(statement)).toThrow();
  });
});

test('a reset drops the tables without visiting their rows', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = openSqliteStorage(path, 'production');
  using other = new Database(path);
  other.run('CREATE TABLE seen (id INTEGER)');
  other.run(
    'CREATE TRIGGER watch AFTER DELETE ON pets BEGIN INSERT INTO seen VALUES (old.id); END',
  );
  await storage.pets.create(animal(), CHANGE_STAMP);
  await storage.reset(CHANGE_STAMP);
  expect(await storage.pets.count()).toBe(0);
  expect(other.query('SELECT * FROM seen').all()).toEqual([]);
  // Other schema objects are restored.
  expect(other.query("SELECT 1 FROM sqlite_schema WHERE name = 'watch'").all()).toHaveLength(1);
  expect((await storage.pets.create(animal(), CHANGE_STAMP)).id).toBe(2n);
  await storage.close();
});

test('an animal that takes the id of one before a restore is not found by the words of that one', () => {
  using folder = createTemporaryFolder();
  using database = openConnection(folder.file('petstore.db'), 'production');
  const add = (word: string) => {
    database.run("INSERT INTO pets VALUES (1, 'a', 'a', 1, 'sold', NULL, 0, 0)");
    database.run(
      `INSERT INTO listings (pet_id, status, category_id, species, dogs, cats, since, name, place, words)
       VALUES (1, 'sold', 1, 'dog', 1, 1, '2026-01-01', 'a', 0, '${word}')`,
    );
  };
  const found = database.query<{ rowid: bigint }, [string]>(
    'SELECT rowid FROM derived_listing_words WHERE derived_listing_words MATCH ?',
  );
  add('playful');
  clearTables(database, RESET);
  add('shy');
  expect([found.all('playful').length, found.all('shy').length]).toEqual([0, 1]);
});

test('a write by another process is visible immediately', async () => {
  using folder = createTemporaryFolder();
  const address = `sqlite:${folder.file('petstore.db')}`;
  const one = await openStorage(address, 'production');
  const two = await openStorage(address, 'production');
  for (let i = 1; i <= 3; i++) {
    await two.pets.importBatch([imported()], CHANGE_STAMP);
    expect(await one.pets.count()).toBe(i);
    expect((await one.pets.list({}, { afterId: undefined, limit: 5 })).items).toHaveLength(i);
  }
  await one.close();
  await two.close();
});

test('a process killed in the middle of a transaction leaves no part of it', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  openConnection(path, 'production').close();
  const script = `
    const { Database } = require('bun:sqlite');
    const database = new Database(${JSON.stringify(path)});
    database.run('PRAGMA cache_size = 5');
    database.run('BEGIN IMMEDIATE');
    for (let i = 0; i < 5000; i++) {
      database.run("INSERT INTO pets (name, name_folded, category_id, status, was_offered, added_at) VALUES (?, '', 1, 'sold', 0, 0)", ['x'.repeat(200)]);
    }
    console.log('half way');
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  for await (const _ of child.stdout) break;
  child.kill('SIGKILL');
  await child.exited;
  const storage = await openStorage(`sqlite:${path}`, 'production');
  expect(await storage.pets.count()).toBe(0);
  await storage.close();
});
