import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { statSync } from 'node:fs';
import { databaseAddress } from '../../src/storage/address.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createLedger } from '../e2e/crash/ledger.ts';
import { startWriting } from '../e2e/writing.ts';
import { canMountSmallDisks, mountSmallDisk } from '../storage/small-disk.ts';
import { animal, listAll } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { runPetstore, spawnPetstore } from '../support/command-line.ts';
import { chosenEngine, sqliteDatabaseAt, type TestDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createServingKey, serving, UNLIMITED } from '../support/serving.ts';
import { expectFailure } from './workspace.ts';

// The tests start commands, which is slow on a busy machine.
setDefaultTimeout(120_000);

const engine = chosenEngine();
const database = forEachTest(() => engine.createDatabase());
beforeEach(async () => {
  await fill(database);
});

/** Makes a database with an animal. */
async function fill({ address }: TestDatabase): Promise<void> {
  const storage = await openStorage(address, 'production');
  await storage.categories.create('Dogs', CHANGE_STAMP);
  await storage.pets.create(animal(), CHANGE_STAMP);
  await storage.close();
}

/** Runs a command on a database. */
const run = (target: TestDatabase, ...args: readonly string[]) =>
  runPetstore(args, { PETSTORE_DATABASE: target.address });

/** The sizes that the command reports, in MB. */
function sizesIn(stdout: string): number[] {
  const [, before, now] =
    /is compact: ([0-9.]+) MB before, ([0-9.]+) MB now\.\n/.exec(stdout) ?? [];
  return [Number(before), Number(now)];
}

test(`says the sizes, changes no record, and says what else would help: ${engine.name}`, async () => {
  const finished = await run(database, 'compact');
  expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
  for (const size of sizesIn(finished.stdout)) expect(size).toBeGreaterThan(0.1);
  expect(finished.stdout.includes('VACUUM FULL')).toBe(engine.name === 'postgres');
  const storage = await openStorage(database.address, 'production');
  expect(await listAll(storage)).toEqual([{ ...animal(), id: 1n }]);
  expect((await storage.pets.create(animal(), CHANGE_STAMP)).id).toBe(2n);
  await storage.close();
});

describe.if(engine.name === 'sqlite')('a file', () => {
  const pathOf = ({ address }: TestDatabase) => {
    const found = databaseAddress(address);
    return found.engine === 'sqlite' ? found.path : '';
  };
  const sizeOf = (target: TestDatabase) => statSync(pathOf(target)).size / 1e6;

  /** Writes rows of a megabyte, and removes all but some of them. */
  function grow(target: TestDatabase, megabytes: number, left: number): void {
    using file = new Database(pathOf(target));
    file.run('PRAGMA busy_timeout = 5000');
    file.run(
      `INSERT INTO photo_files (name, stored_at, content)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${megabytes})
       SELECT 'x' || i, ${Date.now()}, randomblob(1000000) FROM n`,
    );
    file.run(`DELETE FROM photo_files WHERE CAST(substr(name, 2) AS INTEGER) > ${left}`);
    file.run('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  test('becomes small again', async () => {
    grow(database, 20, 2);
    expect(sizeOf(database)).toBeGreaterThan(20);
    const { stdout } = await run(database, 'compact');
    const [before = 0, now = 0] = sizesIn(stdout);
    expect(before).toBeGreaterThan(20);
    expect(now).toBeLessThan(4);
    expect(sizeOf(database)).toBeCloseTo(now, 0);
    expect(stdout.split('\n')).toHaveLength(2);
  });

  test('beside an idle server has the size that is reported, and none of the log', async () => {
    const settings = { PETSTORE_DATABASE: database.address, PETSTORE_LOG_LEVEL: 'silent' };
    const key = await createServingKey(settings, ...UNLIMITED);
    grow(database, 20, 18);
    await using server = await serving(spawnPetstore(['serve', '--port', '0'], settings), key);
    expect((await server.client.get('/v1/pets')).status).toBe(200);
    using reader = new Database(pathOf(database));
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM pets').get();
    const { stdout } = await run(database, 'compact');
    const [before = 0, now = 0] = sizesIn(stdout);
    expect(now).toBeLessThanOrEqual(before);
    expect(now).toBeCloseTo(sizeOf(database), 0);
    expect(stdout).toMatch(/Its write-ahead log has 1\d\.\d MB\. The file shrinks when/);
  });

  test('becomes small beside a server that reads and writes, and refuses nothing', async () => {
    // What writes counts on the ids of an empty shop.
    await using busy = await engine.createDatabase();
    const settings = { PETSTORE_DATABASE: busy.address, PETSTORE_LOG_LEVEL: 'silent' };
    const key = await createServingKey(settings, ...UNLIMITED);
    await using server = await serving(spawnPetstore(['serve', '--port', '0'], settings), key);
    grow(busy, 20, 2);
    const ledger = createLedger();
    const writing = startWriting(server.client, ledger);
    const wrote = (more: number) => {
      const from = ledger.requests;
      return eventually(
        () => ledger.requests - from,
        (requests) => requests > more,
      );
    };
    await wrote(50);
    expect(await run(busy, 'compact')).toMatchObject({ exitCode: 0, stderr: '' });
    await wrote(50);
    await writing.end();
    expect(ledger.problems).toEqual([]);
    expect(writing.refused()).toBe(0);
    expect(sizeOf(busy)).toBeLessThan(10);
    using file = new Database(pathOf(busy));
    expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  test('that is large is left alone beside a server, unless it is forced', async () => {
    const settings = { PETSTORE_DATABASE: database.address, PETSTORE_LOG_LEVEL: 'silent' };
    const key = await createServingKey(settings, ...UNLIMITED);
    await using _ = await serving(spawnPetstore(['serve', '--port', '0'], settings), key);
    grow(database, 90, 70);
    expectFailure(
      await run(database, 'compact'),
      1,
      /in use by process \d+ .*has 7\d\.\d MB.* refuses writes with 503.* --force\.\n$/,
    );
    expect(sizeOf(database)).toBeGreaterThan(90);
    expect(await run(database, 'compact', '--force')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(sizeOf(database)).toBeLessThan(80);
  });

  test.if(canMountSmallDisks)('stays as it is where the disk has no room for a copy', async () => {
    using disk = mountSmallDisk(24_000);
    const small = sqliteDatabaseAt(`${disk.path}/petstore.db`);
    await fill(small);
    grow(small, 10, 9);
    const size = sizeOf(small);
    const finished = await runPetstore(['compact'], {
      PETSTORE_DATABASE: small.address,
      SQLITE_TMPDIR: disk.path,
    });
    expectFailure(finished, 1, /must be free on the disk of .*, and \d+\.\d MB are\. Nothing was/);
    expect(sizeOf(small)).toBe(size);
    const elsewhere = await runPetstore(['compact'], {
      PETSTORE_DATABASE: small.address,
      SQLITE_TMPDIR: '/tmp',
    });
    expect(elsewhere).toMatchObject({ exitCode: 0 });
  });
});
