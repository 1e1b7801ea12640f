import { Database } from 'bun:sqlite';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { databaseAddress } from '../../src/storage/address.ts';
import { openStorage } from '../../src/storage/open.ts';
import { expectFailure } from '../cli/workspace.ts';
import { runPetstore } from '../support/command-line.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { makeOlder, newestVersion, versionOf } from './older-database.ts';

// Starting commands takes long on a busy machine.
setDefaultTimeout(120_000);

/** Commands that only read the database; some write elsewhere. */
const READING: readonly (readonly string[])[] = [
  ['backup', 'shop.backup'],
  ['export'],
  ['keys', 'list'],
  ['import', 'animals.csv', '--dry-run'],
];

/** Commands that migrate the database that they need. */
const CHANGING: readonly (readonly string[])[] = [
  ['keys', 'create', '--name', 'Till', '--plan', 'free'],
  ['keys', 'unban', '9'],
  ['compact'],
  ['migrate'],
];

/** A snapshot to detect any change: every byte of a SQLite file, the columns on PostgreSQL. */
async function stateOf(database: TestDatabase): Promise<unknown> {
  const address = databaseAddress(database.address);
  if (address.engine === 'sqlite') return readFileSync(address.path);
  return await database.sql(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY 1, 2`,
  );
}

describe.each([chosenEngine()])('a $name database of the previous release', (engine) => {
  test.each(READING)('is not migrated by %s, which says what to do', async (...args) => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    writeFileSync(folder.file('animals.csv'), 'name,categoryId\nRex,1\n');
    await makeOlder(database);
    const before = await stateOf(database);
    const settings = { PETSTORE_DATABASE: database.address };
    const finished = await runPetstore(args, settings, folder.path);
    expectFailure(
      finished,
      1,
      /of an earlier release; .* Nothing was changed\. .*petstore migrate/,
    );
    expect(await stateOf(database)).toEqual(before);
    expect(readdirSync(folder.path)).toEqual(['animals.csv']);
  });

  test.each(CHANGING)('is migrated by %s, which says so', async (...args) => {
    await using database = await engine.createDatabase();
    await makeOlder(database);
    const { stderr } = await runPetstore(args, { PETSTORE_DATABASE: database.address });
    const newest = newestVersion(database);
    expect(stderr).toMatch(
      new RegExp(`^petstore: migrated \\S+ from schema ${newest - 1} to ${newest}\\n`),
    );
    expect(await versionOf(database)).toBe(newest);
  });

  test('is examined by the doctor and left as it was', async () => {
    await using database = await engine.createDatabase();
    await makeOlder(database);
    const before = await stateOf(database);
    const { stdout } = await runPetstore(['doctor', '--port', '0', '--database', database.address]);
    expect(stdout).toContain(`this release brings it to ${newestVersion(database)}`);
    expect(await stateOf(database)).toEqual(before);
  });

  test('is not migrated for the other deployment', async () => {
    await using database = await engine.createDatabase();
    await makeOlder(database);
    const before = await stateOf(database);
    const opening = (async () => await openStorage(database.address, 'staging'))();
    await expect(opening).rejects.toThrow(/belongs to the production deployment/);
    expect(await stateOf(database)).toEqual(before);
  });

  test('is not migrated while it is fenced', async () => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    await runPetstore(['migrate', '--database', database.address]);
    const to = `sqlite:${folder.file('moved.db')}`;
    const moved = await runPetstore(['move', '--from', database.address, '--to', to]);
    expect(moved).toMatchObject({ exitCode: 0, stderr: '', newDatabase: to });
    await markOlder(database);
    const opening = (async () => await openStorage(database.address, 'production'))();
    await expect(opening).rejects.toThrow(/is fenced/);
    const again = await runPetstore(['move', '--from', database.address, '--to', to]);
    expectFailure(again, 1, /is fenced: it was moved to/);
    expect(await versionOf(database)).toBe(newestVersion(database) - 1);
  });

  test('is migrated by a command that changes it', async () => {
    await using database = await engine.createDatabase();
    await makeOlder(database);
    const args = ['keys', 'revoke', '1', '--database', database.address];
    expectFailure(await runPetstore(args), 1, /no key with the id 1/);
    expect(await versionOf(database)).toBe(newestVersion(database));
  });
});

/** Marks the schema of a database as one version older than it is. */
async function markOlder(database: TestDatabase): Promise<void> {
  const newest = newestVersion(database);
  await database.sql(
    databaseAddress(database.address).engine === 'sqlite'
      ? `PRAGMA user_version = ${newest - 1}`
      : `DELETE FROM schema_versions WHERE version = ${newest}`,
  );
}

test('a backup of a later release is refused before its database is touched', async () => {
  using folder = createTemporaryFolder();
  const database = `sqlite:${folder.file('shop.db')}`;
  await runPetstore(['migrate', '--database', database]);
  await runPetstore(['backup', folder.file('shop.backup'), '--database', database]);
  {
    // A backup of a later release has a higher version.
    using file = new Database(folder.file('shop.backup'));
    file.run('PRAGMA user_version = 999');
  }
  const target = `sqlite:${folder.file('target.db')}`;
  const args = ['restore', folder.file('shop.backup'), '--database', target];
  expectFailure(await runPetstore(args), 1, /schema version 999/);
  expect(readdirSync(folder.path)).not.toContain('target.db');
});
