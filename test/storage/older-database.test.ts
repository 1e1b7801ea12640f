import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { databaseAddress } from '../../src/storage/address.ts';
import { expectFailure } from '../cli/workspace.ts';
import { createNextRelease, runRelease, THIS_VERSION } from '../e2e/release.ts';
import { runPetstore } from '../support/command-line.ts';
import { chosenEngine, type TestDatabase } from '../support/engines.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { versionOf } from './older-database.ts';

// Starting commands takes long on a busy machine.
setDefaultTimeout(120_000);

/** The databases are of this release; those who open them are of the next one. */
const next = createNextRelease(false);
afterAll(next[Symbol.dispose]);
const NEXT_VERSION = THIS_VERSION + 1;

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
    const settings = { PETSTORE_DATABASE: database.address };
    await runPetstore(['migrate'], settings);
    const before = await stateOf(database);
    const finished = await runRelease(next, args, settings, folder.path);
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
    const settings = { PETSTORE_DATABASE: database.address };
    await runPetstore(['migrate'], settings);
    const { stderr } = await runRelease(next, args, settings);
    expect(stderr).toMatch(
      new RegExp(`^petstore: migrated \\S+ from schema ${THIS_VERSION} to ${NEXT_VERSION}\n`),
    );
    expect(await versionOf(database)).toBe(NEXT_VERSION);
  });

  test('is examined by the doctor and left as it was', async () => {
    await using database = await engine.createDatabase();
    const settings = { PETSTORE_DATABASE: database.address };
    await runPetstore(['migrate'], settings);
    const before = await stateOf(database);
    const { stdout } = await runRelease(next, ['doctor', '--port', '0'], settings);
    expect(stdout).toContain(
      `Its schema has version ${THIS_VERSION}; this release brings it to ${NEXT_VERSION}.`,
    );
    expect(await stateOf(database)).toEqual(before);
  });

  test('is not migrated for the other deployment', async () => {
    await using database = await engine.createDatabase();
    const settings = { PETSTORE_DATABASE: database.address };
    await runPetstore(['migrate'], settings);
    const before = await stateOf(database);
    const finished = await runRelease(next, ['migrate', '--environment', 'staging'], settings);
    expectFailure(finished, 1, /belongs to the production deployment/);
    expect(await stateOf(database)).toEqual(before);
  });

  test('is not migrated while it is fenced', async () => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    await runPetstore(['migrate', '--database', database.address]);
    const to = `sqlite:${folder.file('moved.db')}`;
    const move = ['move', '--from', database.address, '--to', to];
    expect(await runPetstore(move)).toMatchObject({ exitCode: 0, stderr: '', newDatabase: to });
    const migrate = ['migrate', '--database', database.address];
    expectFailure(await runRelease(next, migrate, {}), 1, /is fenced/);
    expectFailure(await runRelease(next, move, {}), 1, /is fenced: it was moved to/);
    expect(await versionOf(database)).toBe(THIS_VERSION);
  });

  test('is migrated by a command that changes it', async () => {
    await using database = await engine.createDatabase();
    await runPetstore(['migrate', '--database', database.address]);
    const args = ['keys', 'revoke', '1', '--database', database.address];
    expectFailure(await runRelease(next, args, {}), 1, /no key with the id 1/);
    expect(await versionOf(database)).toBe(NEXT_VERSION);
  });

  test('is refused by this one once the next has migrated it', async () => {
    await using database = await engine.createDatabase();
    const settings = { PETSTORE_DATABASE: database.address };
    await runRelease(next, ['migrate'], settings);
    const newer = new RegExp(
      `has schema version ${NEXT_VERSION}, but this release knows only ${THIS_VERSION}: start it with the release that made it`,
    );
    for (const args of [['migrate'], ['keys', 'list'], ['backup', '-'], ['serve', '--port', '0']]) {
      expectFailure(await runPetstore(args, settings), 1, newer);
    }
  });

  test('leaves a backup that the next release restores, and does not change', async () => {
    await using database = await engine.createDatabase();
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_DATABASE: database.address };
    await runPetstore(['keys', 'create', '--name', 'Till', '--plan', 'free'], settings);
    const backup = folder.file('shop.backup');
    await runPetstore(['backup', backup], settings);
    const bytes = readFileSync(backup);
    const target = { PETSTORE_DATABASE: `sqlite:${folder.file('target.db')}` };
    expect(await runRelease(next, ['restore', backup], target)).toMatchObject({ exitCode: 0 });
    expect((await runRelease(next, ['keys', 'list'], target)).stdout).toContain('Till');
    expect(readFileSync(backup)).toEqual(bytes);
  });
});

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
