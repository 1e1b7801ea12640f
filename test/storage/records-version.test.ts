import { expect, test } from 'bun:test';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CacheSlot,
  createResponseStore,
  type ResponseStore,
} from '../../src/api/cache/response-store.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { findWalIndexHeader } from '../../src/storage/sqlite/wal-index.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const WRITER = join(import.meta.dir, 'renaming-process.ts');
const READS = 1_000_000;
/** Without changes in between, the reads would prove nothing. */
const CHANGES = 1_000;
const READS_A_TURN = 50_000;
const TIMEOUT_MS = 120_000;

const slot: CacheSlot = { cached: undefined, weight: 0 };

/** The name of category 1 as a number, cached like a response of the service. */
function readName(storage: Storage, store: ResponseStore): number {
  const version = storage.recordsVersion();
  if (typeof version !== 'number') throw new Error('the version was not read synchronously');
  const stored = store.find(slot, version);
  if (stored instanceof Promise) throw new Error('the cache was not read synchronously');
  if (stored !== undefined) return Number(stored.body);
  const category = storage.categories.find(1n);
  if (category === undefined || category instanceof Promise)
    throw new Error('the category was not read synchronously');
  store.store(slot, version, { status: 200, body: category.name, headers: {} });
  return Number(category.name);
}

test(
  'none of a million cached responses is older than the last acknowledged write of another process',
  async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    const committedFile = folder.file('committed');
    writeFileSync(committedFile, new Uint8Array(4));
    const committed = new Uint32Array(Bun.mmap(committedFile, { shared: true }).buffer);
    const storage = await openStorage(`sqlite:${path}`, 'production');
    const key = {
      plan: 'free',
      perMinute: null,
      perDay: null,
      scopes: [],
      expiresAt: null,
    } as const;
    const { id } = await storage.keys.create({
      ...key,
      hash: 'f'.repeat(64),
      name: 'k',
      createdAt: 0,
    });
    await storage.categories.create('0', CHANGE_STAMP);
    const store = createResponseStore();
    const writer = Bun.spawn([process.execPath, WRITER, path, committedFile], {
      stdout: 'inherit',
    });
    try {
      while (Atomics.load(committed, 0) === 0) await Bun.sleep(1);
      let last = 0;
      let changes = 0;
      for (let read = 0; read < READS || changes < CHANGES; read++) {
        if (writer.exitCode !== null) throw new Error('the other process has ended');
        // Our own writes in between do not touch the records.
        if (read % READS_A_TURN === 0) await storage.keys.recordUse(new Map([[id, read]]));
        const written = Atomics.load(committed, 0);
        const name = readName(storage, store);
        if (name < written) throw new Error(`read ${name} after ${written} was written`);
        if (name !== last) changes++;
        last = name;
      }
    } finally {
      writer.kill('SIGKILL');
      await writer.exited;
      await storage.close();
    }
  },
  TIMEOUT_MS,
);

test('the version of the records stays the same while nobody changes them', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  const before = storage.recordsVersion();
  expect(storage.recordsVersion()).toBe(before);
  await storage.allowances.save([]);
  await storage.keys.recordUse(new Map([[1n, 1]]));
  expect(storage.recordsVersion()).toBe(before);

  await storage.categories.create('Dogs', CHANGE_STAMP);
  const own = storage.recordsVersion();
  expect(own).not.toBe(before);
  {
    using other = openConnection(path, 'production');
    other.run('BEGIN');
    other.run("INSERT INTO categories (name, name_folded) VALUES ('Cats', 'cats')");
    expect(storage.recordsVersion()).toBe(own);
    other.run('COMMIT');
  }
  const others = storage.recordsVersion();
  expect(others).not.toBe(own);
  expect(storage.recordsVersion()).toBe(others);
  await storage.close();
});

test('a checkpoint that empties the log hides no change', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  using other = openConnection(path, 'production');
  for (const name of ['a', 'b', 'c', 'd']) {
    const before = storage.recordsVersion();
    other.run('PRAGMA wal_checkpoint(TRUNCATE)');
    other.run(`INSERT INTO categories (name, name_folded) VALUES ('${name}', '${name}')`);
    expect(storage.recordsVersion()).not.toBe(before);
  }
  await storage.close();
});

test('the header is found through a symbolic link, and only if there is a file', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const link = folder.file('link.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  symlinkSync(path, link);
  using linked = openConnection(link, 'production');
  if (process.platform === 'linux') {
    expect(findWalIndexHeader(link)?.hasChanged()).toBe(true);
    expect(findWalIndexHeader(path)?.hasChanged()).toBe(true);
  }
  expect(findWalIndexHeader(':memory:')).toBeUndefined();
  expect(findWalIndexHeader(folder.file('absent.db'))).toBeUndefined();
  linked.close();
  await storage.close();
});

test('the version of a database in memory comes from a query', async () => {
  const storage = await openStorage('sqlite::memory:', 'production');
  const before = storage.recordsVersion();
  expect(storage.recordsVersion()).toBe(before);
  await storage.categories.create('Dogs', CHANGE_STAMP);
  expect(storage.recordsVersion()).not.toBe(before);
  await storage.close();
});
