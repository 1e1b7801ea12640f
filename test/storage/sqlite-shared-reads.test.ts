import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createSharedReads } from '../../src/storage/sqlite/shared-reads.ts';
import { findWalIndex } from '../../src/storage/sqlite/wal-index.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { nextTurn } from './change-recorder.ts';
import { animal, anyState } from './subject.ts';

let folder: TemporaryFolder;
let path: string;
let storage: Storage;
let database: Database;

beforeEach(async () => {
  folder = createTemporaryFolder();
  path = folder.file('petstore.db');
  storage = await openStorage(`sqlite:${path}`, 'production');
  database = new Database(path, { readwrite: true, strict: true, safeIntegers: true });
  database.query('SELECT count(*) FROM pets').get();
});

afterEach(async () => {
  database.close();
  await storage.close();
  folder[Symbol.dispose]();
});

const add = (name = 'Max') =>
  Promise.resolve(storage.pets.create({ ...animal(), name }, CHANGE_STAMP));

const rename = (id: bigint, name: string) =>
  database.query('UPDATE pets SET name = ? WHERE id = ?').run(name, id);

test('a read sees what another process committed after the read before it in the same turn', async () => {
  const { id } = await add();
  const names: unknown[] = [];
  for (const name of ['Rex', 'Ben', 'Ida']) {
    rename(id, name);
    const found = await storage.pets.find(id);
    const { items } = await storage.pets.list({}, { afterId: undefined, limit: 1 });
    names.push(found?.name, items[0]?.name);
  }
  expect(names).toEqual(['Rex', 'Rex', 'Ben', 'Ben', 'Ida', 'Ida']);
});

test('writes and reads of one turn see each other', async () => {
  const { id } = await add();
  const before = storage.pets.find(id);
  const change = { name: 'Rex' };
  const updated = storage.pets.update(id, change, CHANGE_STAMP, anyState);
  const meanwhile = storage.pets.find(id);
  await updated;
  expect(await Promise.all([before, meanwhile, storage.pets.find(id)])).toMatchObject([
    { name: 'Max' },
    { name: 'Max' },
    { name: 'Rex' },
  ]);
});

test('the reads of a turn share one transaction, which ends with the turn', async () => {
  const { readAtOnce } = createSharedReads(database, findWalIndex(path));
  const count = () => database.query('SELECT count(*) AS n FROM pets').get();
  const states = [database.inTransaction];
  for (let i = 0; i < 2; i++) {
    readAtOnce(count);
    states.push(database.inTransaction);
  }
  await nextTurn();
  states.push(database.inTransaction);
  expect(states).toEqual([false, true, true, false]);
});

test('reads share nothing while the log is long, so that it can start again', () => {
  const index = findWalIndex(path);
  if (index === undefined) throw new Error('the WAL index is not mapped');
  let pages = 4_001;
  const { readAtOnce, end } = createSharedReads(database, { ...index, pages: () => pages });
  const inTransaction = () => readAtOnce(() => database.inTransaction);
  expect(inTransaction()).toBe(false);
  pages = 4_000;
  expect(inTransaction()).toBe(true);
  end();
  expect(database.inTransaction).toBe(false);
});

test('the log stays short although every turn reads before it writes', async () => {
  for (let i = 0; i < 400; i++) {
    void storage.pets.find(1n);
    const added = add();
    void storage.pets.find(1n);
    await added;
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(2 * 1_000 * 4_096);
});

test('a storage that is closed in a turn with reads ends the transaction', async () => {
  await add();
  const closing = await openStorage(`sqlite:${path}`, 'production');
  await closing.close();
  const other = await openStorage(`sqlite:${path}`, 'production');
  void other.pets.find(1n);
  await other.close();
  await nextTurn();
  rename(1n, 'Rex');
  expect(await storage.pets.find(1n)).toMatchObject({ name: 'Rex' });
});

test('an end that fails, as on a broken disk, ends no process and leaves no transaction', () => {
  const query = database.query.bind(database);
  database.query = ((sql: string) => {
    const statement = query(sql);
    if (sql === 'COMMIT') {
      statement.run = () => {
        throw new Error('database disk image is malformed');
      };
    }
    return statement;
    // Only `run` of one statement differs.
  }) as typeof database.query;
  const { readAtOnce, end } = createSharedReads(database, findWalIndex(path));
  expect(readAtOnce(() => database.inTransaction)).toBe(true);
  end();
  expect(database.inTransaction).toBe(false);
});
