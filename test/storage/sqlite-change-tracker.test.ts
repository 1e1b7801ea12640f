import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeTracker } from '../../src/domain/change-log.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createChangeTracker } from '../../src/storage/sqlite/change-tracker.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createSharedReads } from '../../src/storage/sqlite/shared-reads.ts';
import { findWalIndex } from '../../src/storage/sqlite/wal-index.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { nextTurn, recordChanges } from './change-recorder.ts';

const WRITER = join(import.meta.dir, 'renaming-process.ts');
const READS = 1_000_000;
const NOTE_RESET = "INSERT INTO changes (type, at) VALUES ('store.reset', 0)";
/** Without changes in between, the reads would prove nothing. */
const CHANGES = 1_000;
/** As many as connections are busy at once. */
const READS_A_TURN = 32;
/** Our own writes in between do not touch the records. */
const WRITE_EVERY = 50_000;
const TIMEOUT_MS = 120_000;

/** Category 1 as a cache knows it: read again when its change was reported. */
class CachedName {
  readonly #storage: Storage;
  readonly #tracker: ChangeTracker;
  #name: number | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
    const drop = () => {
      this.#name = undefined;
    };
    this.#tracker = storage.trackChanges({ changed: drop, lost: drop });
  }

  async read(): Promise<number> {
    if (this.#tracker.catchUp() !== true)
      throw new Error('the changes were not read synchronously');
    if (this.#name !== undefined) return this.#name;
    const category = await this.#storage.categories.find(1n);
    if (category === undefined) throw new Error('the category is missing');
    this.#name = Number(category.name);
    return this.#name;
  }
}

test(
  'none of a million cached responses is older than what another process had written before its turn',
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
    const cached = new CachedName(storage);
    const writer = Bun.spawn([process.execPath, WRITER, path, committedFile], {
      stdout: 'inherit',
    });
    try {
      while (Atomics.load(committed, 0) === 0) await Bun.sleep(1);
      let last = 0;
      let changes = 0;
      for (let read = 0; read < READS || changes < CHANGES; read += READS_A_TURN) {
        if (writer.exitCode !== null) throw new Error('the other process has ended');
        if (read % WRITE_EVERY < READS_A_TURN) {
          await storage.keys.recordUse(new Map([[id, read]]));
        }
        await nextTurn();
        for (let inTurn = 0; inTurn < READS_A_TURN; inTurn++) {
          const written = Atomics.load(committed, 0);
          const name = await cached.read();
          if (name < written) throw new Error(`read ${name} after ${written} was written`);
          if (name !== last) changes++;
          last = name;
        }
      }
    } finally {
      writer.kill('SIGKILL');
      await writer.exited;
      await storage.close();
    }
  },
  TIMEOUT_MS,
);

test('reports what another connection commits, and only then', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  const recorder = await recordChanges(storage);
  {
    using other = openConnection(path, 'production');
    other.run('BEGIN');
    other.run(NOTE_RESET);
    expect(await recorder.next()).toEqual([]);
    other.run('COMMIT');
  }
  expect(await recorder.next()).toEqual([{ type: 'store.reset' }]);
  expect(await recorder.next()).toEqual([]);
  await storage.close();
});

test('a checkpoint that empties the write-ahead log hides no change', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const storage = await openStorage(`sqlite:${path}`, 'production');
  const recorder = await recordChanges(storage);
  using other = openConnection(path, 'production');
  for (let turn = 0; turn < 4; turn++) {
    other.run('PRAGMA wal_checkpoint(TRUNCATE)');
    other.run(NOTE_RESET);
    expect(await recorder.next()).toEqual([{ type: 'store.reset' }]);
  }
  await storage.close();
});

test('a commit of another process is reported in the same turn', async () => {
  using folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  using database = openConnection(path, 'production');
  using other = openConnection(path, 'production');
  let changes = 0;
  const observer = { changed: () => void changes++, lost() {} };
  const reads = createSharedReads(database, findWalIndex(path));
  const tracker = createChangeTracker(database, observer, reads);
  for (const commits of [0, 2, 0, 1]) {
    const before = changes;
    for (let commit = 0; commit < commits; commit++) other.run(NOTE_RESET);
    expect(tracker.catchUp()).toBe(true);
    expect(changes - before).toBe(commits);
  }
  reads.close();
});

test('the changes of a database in memory are reported', async () => {
  const storage = await openStorage('sqlite::memory:', 'production');
  const recorder = await recordChanges(storage);
  expect(await recorder.next()).toEqual([]);
  await storage.categories.create('Dogs', CHANGE_STAMP);
  expect(await recorder.next()).toMatchObject([{ type: 'category.created' }]);
  await storage.close();
});
