import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { openStorage } from '../../src/storage/open.ts';
import { sqliteDatabaseAt } from '../support/engines.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { examined, troubles, verdictOn } from './examination.ts';

// Some wait for a lock.
setDefaultTimeout(60_000);

let path: string;
const folder = forEachTest(() => createTemporaryFolder());
beforeEach(() => {
  path = folder.file('petstore.db');
});

const look = (file = path, settings = {}) =>
  examined({ PETSTORE_DATABASE: `sqlite:${file}`, ...settings });

/** A database as a service leaves it, which other users cannot read. */
async function createDatabase(): Promise<void> {
  await (await openStorage(`sqlite:${path}`, 'production')).close();
  chmodSync(path, 0o600);
}

function change(sql: string): void {
  using database = new Database(path);
  database.run(sql);
}

/** Everything in the folder, to see that looking changes nothing. */
const contents = () =>
  readdirSync(folder.path).map((name) => [name, Bun.hash(readFileSync(folder.file(name)))]);

describe('a database file', () => {
  test('that is as it should be', async () => {
    await createDatabase();
    const before = contents();
    const findings = await look();
    expect(troubles(findings)).toEqual([]);
    for (const pattern of [
      /can be opened/,
      /pages, indexes and photos are whole/,
      /up to date/,
      /production/,
    ]) {
      expect(verdictOn(findings, 'database', pattern)).toBe('good');
    }
    expect(contents()).toEqual(before);
  });

  test('that has events says how many, and since when', async () => {
    await createDatabase();
    expect(verdictOn(await look(), 'database', /^It has no events yet\.$/)).toBe('good');
    const at = Date.UTC(2027, 0, 15, 12);
    change(`INSERT INTO changes (type, at) VALUES ('store.reset', ${at})`);
    const one = /^It keeps 1 event, the oldest of 2027-01-15\.$/;
    expect(verdictOn(await look(), 'database', one)).toBe('good');
    change(`INSERT INTO changes (type, at) VALUES ('store.reset', ${at + 86_400_000})`);
    const two = /^It keeps 2 events, the oldest of 2027-01-15\.$/;
    expect(verdictOn(await look(), 'database', two)).toBe('good');
  });

  test('that a service uses at this moment', async () => {
    const storage = await openStorage(`sqlite:${path}`, 'production');
    for (const file of readdirSync(folder.path)) chmodSync(folder.file(file), 0o600);
    const before = contents();
    const findings = await look();
    expect(troubles(findings)).toEqual([]);
    expect(verdictOn(findings, 'database', /pages, indexes and photos are whole/)).toBe('good');
    expect(contents()).toEqual(before);
    await storage.close();
  });

  test('that does not exist is a problem, and the doctor does not create it', async () => {
    const missing = folder.file('data/deeper/petstore.db');
    const findings = await look(missing);
    expect(troubles(findings)).toEqual([
      `bad database: There is no Petstore database at sqlite:${missing}.`,
    ]);
    expect(verdictOn(findings, 'disk', /can be made in/)).toBe('good');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('that is empty', async () => {
    writeFileSync(path, '');
    chmodSync(path, 0o600);
    const findings = await look();
    expect(troubles(findings)).toEqual([
      expect.stringContaining(`bad database: ${path} has 0 bytes`),
    ]);
    expect(statSync(path).size).toBe(0);
  });

  test.each([
    ['garbage', (file: string) => writeFileSync(file, 'not a database '.repeat(1_000))],
    ['a folder', (file: string) => mkdirSync(file)],
  ])('that is %s', async (_name, make) => {
    make(path);
    expect(troubles(await look(), 'database')).toEqual([
      expect.stringMatching(
        /^bad database: \S+ (is not a database|cannot be read: it is a folder)/,
      ),
    ]);
  });

  test('that was overwritten while it was in use', async () => {
    await createDatabase();
    await sqliteDatabaseAt(path).destroy();
    expect(troubles(await look(), 'database')).toEqual([
      expect.stringMatching(/^bad database: \S+ is not a database, or is damaged\.$/),
    ]);
  });

  test('with a page that is damaged', async () => {
    await createDatabase();
    const root = () => {
      using database = new Database(path);
      const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'pets'";
      return database.query<{ rootpage: number }, []>(sql).get()?.rootpage ?? 0;
    };
    const offset = (root() - 1) * 4_096;
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(4_096, 0x5a), 0, 4_096, offset);
    closeSync(file);
    const found = troubles(await look(), 'database');
    expect(found).toEqual([expect.stringMatching(/^bad database: .*damaged/)]);
  });

  test('whose free pages do not add up', async () => {
    await createDatabase();
    // A new one has free pages, because a migration recreates its tables.
    change('VACUUM');
    const file = openSync(path, 'r+');
    // The number of free pages stands in the header, at this offset.
    writeSync(file, Buffer.from([0, 0, 0, 9]), 0, 4, 36);
    closeSync(file);
    expect(troubles(await look(), 'database')).toEqual([
      'bad database: It is damaged: Freelist: size is 0 but should be 9.',
    ]);
  });

  test('of another program', async () => {
    change('CREATE TABLE music (title TEXT)');
    expect(troubles(await look(), 'database')).toEqual([
      'bad database: It is a database of another program.',
    ]);
  });

  test('of a newer release, which is left as it is', async () => {
    await createDatabase();
    change('PRAGMA user_version = 99');
    expect(troubles(await look(), 'database')).toEqual([
      expect.stringMatching(
        /^bad database: Its schema has version 99, but this release knows only/,
      ),
    ]);
    using database = new Database(path);
    expect(database.query('PRAGMA user_version').get()).toEqual({ user_version: 99 });
  });

  test('of the other deployment', async () => {
    await createDatabase();
    expect(troubles(await look(path, { PETSTORE_ENVIRONMENT: 'staging' }), 'database')).toEqual([
      'bad database: It belongs to the production deployment, and the settings are for staging.',
    ]);
  });

  test('that another program has locked', async () => {
    await createDatabase();
    using other = new Database(path);
    other.run('PRAGMA locking_mode = EXCLUSIVE');
    other.run('BEGIN EXCLUSIVE');
    other.run('CREATE TABLE held (x)');
    other.run('COMMIT');
    expect(troubles(await look(), 'database')).toEqual([
      expect.stringMatching(/^advice database: \S+ is locked by another program/),
    ]);
  });
});

describe('the disk', () => {
  test('shows the database to others, or lets them change it', async () => {
    await createDatabase();
    chmodSync(path, 0o644);
    expect(troubles(await look())).toEqual([
      'advice disk: Every user of this machine may read the database.',
    ]);
    chmodSync(path, 0o666);
    expect(troubles(await look())).toEqual([
      'bad disk: Every user of this machine may change the database.',
    ]);
  });

  test('holds a write-ahead log that does not shrink', async () => {
    await createDatabase();
    writeFileSync(`${path}-wal`, '', { mode: 0o600 });
    truncateSync(`${path}-wal`, 80 * 1_048_576);
    expect(troubles(await look())).toEqual([
      'advice disk: The write-ahead log has 80 MiB. It should shrink by itself to a few.',
    ]);
  });

  test('has a file where the folder should be', async () => {
    writeFileSync(folder.file('data'), '');
    expect(troubles(await look(folder.file('data/petstore.db')), 'disk')).toEqual([
      `bad disk: No file can be made in ${folder.file('data')}: it is no folder.`,
    ]);
  });
});
