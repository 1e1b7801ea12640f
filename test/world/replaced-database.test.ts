import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { runPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

let folder: TemporaryFolder;
let serving: Serving;
let path: string;
/** A database of another shop, and an older copy of the one that is served. */
let other: string;
let older: string;
const settingsFor = (file: string) => ({ PETSTORE_DATABASE: `sqlite:${file}` });

async function add(client: Serving['client'], ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    expect((await client.post('/v1/pets', { name, categoryId: 1 })).status).toBe(201);
  }
}

async function end({ child }: Serving): Promise<number> {
  child.kill('SIGTERM');
  return await child.exited;
}

beforeEach(async () => {
  folder = createTemporaryFolder();
  mkdirSync(folder.file('data'));
  [path, other, older] = [folder.file('data/a.db'), folder.file('b.db'), folder.file('older.db')];
  const elsewhere = await startServing(settingsFor(other));
  await add(elsewhere.client, 'Other');
  await end(elsewhere);
  const before = await startServing(settingsFor(path));
  await add(before.client, 'First');
  await end(before);
  copyFileSync(path, older);
  serving = await startServing(settingsFor(path));
  await add(serving.client, 'Rex');
  using beside = new Database(path);
  beside.run('PRAGMA wal_checkpoint(TRUNCATE)');
  await add(serving.client, 'Tom');
});
afterEach(async () => {
  serving.child.kill('SIGKILL');
  await serving.child.exited;
  folder[Symbol.dispose]();
});

const FILES = ['', '-wal', '-shm'];
const contentAt = (file: string) =>
  FILES.map((suffix) => existsSync(file + suffix) && Bun.hash(readFileSync(file + suffix)));

function namesIn(file: string): string[] {
  using database = new Database(file);
  expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
  return database.query('SELECT name FROM pets ORDER BY id').values().flat().map(String);
}

/** A database with a log of its own, as a killed server leaves it. */
function withLog(source: string): void {
  const database = new Database(source);
  database.run("UPDATE pets SET name = 'In the log'");
  for (const suffix of FILES.slice(0, 2)) copyFileSync(source + suffix, `${source}.new${suffix}`);
  database.close();
  for (const suffix of FILES.slice(0, 2)) renameSync(`${source}.new${suffix}`, source + suffix);
}

test.each<[what: string, act: () => void, names: readonly string[] | undefined]>([
  ['another renamed over it', () => renameSync(other, path), ['Other']],
  ['another copied over it', () => copyFileSync(other, path), ['Other']],
  ['an older copy of itself copied over it', () => copyFileSync(older, path), ['First']],
  [
    'another with a log put in its place',
    () => {
      withLog(other);
      for (const suffix of ['-wal', '']) renameSync(other + suffix, path + suffix);
    },
    ['In the log'],
  ],
  ['removed', () => rmSync(path), undefined],
  ['moved', () => renameSync(path, folder.file('moved.db')), undefined],
  ['moved with its folder', () => renameSync(dirname(path), folder.file('gone')), undefined],
  ['cut to nothing', () => truncateSync(path), undefined],
  ['overwritten by something else', () => writeFileSync(path, 'junk '.repeat(9_999)), undefined],
])('a database that was %s gets nothing more, and stays as it is', async (_, act, names) => {
  act();
  const content = contentAt(path);
  // At the first request already.
  const refused = await serving.client.post('/v1/pets', { name: 'Late', categoryId: 1 });
  expect(refused.status).toBe(503);
  const ready = await eventually(
    () => serving.client.get('/readyz'),
    ({ text }) => text.includes('not the one that was opened'),
  );
  expect(ready.status).toBe(503);
  expect((await serving.client.get('/v1/pets')).status).toBe(503);
  expect(await end(serving)).toBe(0);
  const lines = serving.output().split('\n');
  expect(lines.filter((line) => line.includes('replaced or removed while'))).toHaveLength(1);
  // Of the files that are there, the new one and its log are untouched, and no log of the old one is beside it.
  expect([contentAt(path)[0], existsSync(`${path}-wal`)]).toEqual([
    content[0] ?? false,
    names?.[0] === 'In the log',
  ]);
  if (names !== undefined) expect(namesIn(path)).toEqual([...names]);
});

test('a database that was moved has all that was confirmed, where it is', async () => {
  const moved = folder.file('moved.db');
  renameSync(path, moved);
  await eventually(
    () => serving.client.get('/readyz'),
    ({ status }) => status === 503,
  );
  await end(serving);
  expect(namesIn(moved)).toEqual(['First', 'Rex', 'Tom']);
});

test('a log that was removed stops the server, which then writes all of it to the database', async () => {
  rmSync(`${path}-wal`);
  await eventually(
    () => serving.client.get('/v1/pets'),
    ({ status }) => status === 503,
  );
  await end(serving);
  expect(namesIn(path)).toEqual(['First', 'Rex', 'Tom']);
});

test('what touches no content is no replacement: touch, checkpoints and commands beside it', async () => {
  utimesSync(path, new Date(), new Date());
  for (const statement of ['PRAGMA wal_checkpoint(TRUNCATE)', 'VACUUM', 'PRAGMA wal_checkpoint']) {
    using beside = new Database(path);
    beside.run('PRAGMA busy_timeout = 5000');
    beside.run(statement);
    await add(serving.client, statement.slice(0, 20));
  }
  const { exitCode } = await runPetstore(['keys', 'list'], settingsFor(path));
  expect(exitCode).toBe(0);
  expect((await serving.client.get('/readyz')).status).toBe(200);
});

test('a start without the log of a killed server says so, once; one with it does not', async () => {
  serving.child.kill('SIGKILL');
  await serving.child.exited;
  const said = async () => {
    const again = await startServing(settingsFor(path));
    await end(again);
    return [again.output(), await again.errors].map((text) => text.includes('-wal) is gone'));
  };
  expect(await said()).toEqual([false, false]);
  serving = await startServing(settingsFor(path));
  serving.child.kill('SIGKILL');
  await serving.child.exited;
  rmSync(`${path}-wal`);
  const { stderr } = await runPetstore(['keys', 'list'], settingsFor(path));
  expect(stderr).toContain('-wal) is gone');
  expect(await said()).toEqual([false, false]);
});

test.each<string[]>([
  ['serve', '--port', '0'],
  ['migrate'],
  ['keys', 'list'],
  ['export'],
  ['backup', 'x.backup'],
  ['restore', 'whole.backup'],
  ['compact'],
  ['import', 'x.csv'],
  ['move', '--to', 'sqlite:elsewhere.db'],
])('%s refuses a file of 0 bytes by its name, and leaves it', async (...args: string[]) => {
  writeFileSync(folder.file('x.csv'), 'name,categoryId\nRex,1\n');
  await runPetstore(['backup', 'whole.backup'], settingsFor(other), folder.path);
  const empty = folder.file('empty.db');
  writeFileSync(empty, '');
  const { exitCode, stderr } = await runPetstore(args, settingsFor(empty), folder.path);
  expect([exitCode, stderr]).toEqual([expect.any(Number), expect.stringContaining('empty.db')]);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('0 bytes');
  expect(contentAt(empty)).toEqual([Bun.hash(''), false, false]);
});

test('with PETSTORE_DATABASE_CREATE=off a missing database is not made by serve', async () => {
  const missing = folder.file('unmounted/a.db');
  const settings = { ...settingsFor(missing), PETSTORE_DATABASE_CREATE: 'off' };
  const { exitCode, stderr } = await runPetstore(['serve', '--port', '0'], settings);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('PETSTORE_DATABASE_CREATE')]);
  expect(existsSync(missing)).toBe(false);
  expect((await runPetstore(['migrate'], settings)).exitCode).toBe(0);
  const served = await startServing(settings);
  expect((await served.client.get('/readyz')).status).toBe(200);
  await end(served);
});
