import { Database } from 'bun:sqlite';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { backUp } from '../../src/storage/transfer/backup.ts';
import { openSource } from '../../src/storage/transfer/open-portable.ts';
import { expectFailure } from '../cli/workspace.ts';
import { canMountSmallDisks, mountSmallDisk } from '../storage/small-disk.ts';
import { animal, anyState } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { runHere, runPetstore } from '../support/command-line.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { contentOf, putContent, restoredContent, UNWATCHED } from './content.ts';
import { createPair, some } from './moving.ts';
import { crossings, pairs } from './pairs.ts';

// Databases and commands are started, on a machine that may be busy.
setDefaultTimeout(120_000);

const backup = (address: string, ...args: string[]) =>
  runHere(['backup', ...args], { PETSTORE_DATABASE: address });
const restore = (address: string, ...args: string[]) =>
  runHere(['restore', ...args], { PETSTORE_DATABASE: address });

/** A backup of a shop with rows in every table; gives its path. */
async function someBackup(folder: TemporaryFolder): Promise<string> {
  const address = `sqlite:${folder.file('shop.db')}`;
  await putContent(address, some());
  const path = folder.file('shop.backup');
  expect(await backup(address, path)).toMatchObject({ exitCode: 0, stderr: '' });
  return path;
}

describe.each(pairs)('a backup from $name', ({ from, to }) => {
  test('brings every row and the last ids back', async () => {
    using folder = createTemporaryFolder();
    await using pair = await createPair(from, to);
    const content = some();
    await putContent(pair.source.address, content);
    const path = folder.file('shop.backup');
    expect(await backup(pair.source.address, path)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readdirSync(folder.path)).toEqual(['shop.backup']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(path);
    expect(await restore(pair.target.address, path)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await contentOf(pair.target.address)).toEqual(restoredContent(content));
    expect(await contentOf(pair.source.address)).toEqual(content);
    expect(readFileSync(path)).toEqual(bytes);
    expect(readdirSync(folder.path)).toEqual(['shop.backup']);
    await (await openStorage(pair.target.address, 'production')).close();
  });
});

describe.each(crossings)('a backup from $name', ({ from, to }) => {
  test('takes the place of what is there with --force alone, and gives no id again', async () => {
    using folder = createTemporaryFolder();
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, { rows: {}, lastIds: {} });
    const path = folder.file('shop.backup');
    await backup(pair.source.address, path);
    const storage = await openStorage(pair.target.address, 'production');
    await storage.pets.create(animal(), CHANGE_STAMP);
    const { id } = await storage.pets.create(animal(), CHANGE_STAMP);
    await storage.pets.remove(id, CHANGE_STAMP, anyState);
    await storage.close();
    const before = await contentOf(pair.target.address);
    expectFailure(await restore(pair.target.address, path), 1, /is not empty .*--force replaces/);
    expect(await contentOf(pair.target.address)).toEqual(before);
    await restore(pair.target.address, path, '--force');
    const restored = await openStorage(pair.target.address, 'production');
    expect(await restored.pets.count()).toBe(0);
    // A follower that had seen every change before is told to read the records again.
    const after = before.lastIds['changes'];
    await expect((async () => await restored.changes.list({ after, limit: 2 }))()).rejects.toThrow(
      /Read the lists again/,
    );
    const kept = await restored.changes.list({ after: undefined, limit: 2 });
    expect(kept.changes).toMatchObject([{ type: 'store.reset' }]);
    expect((await restored.pets.create(animal(), CHANGE_STAMP)).id).toBe(id + 1n);
    await restored.close();
  });

  test('holds nothing of who adopted once that was erased', async () => {
    using folder = createTemporaryFolder();
    await using pair = await createPair(from, to);
    const storage = await openStorage(pair.source.address, 'production');
    const { id: petId } = await storage.pets.create(animal(), CHANGE_STAMP);
    const personal = { adopter: 'Quentin', contact: 'q@example.com', note: 'Quarrels.' };
    const { id } = await storage.orders.place({ petId, ...personal }, CHANGE_STAMP);
    const inBackup = async (name: string) => {
      const path = folder.file(name);
      expect(await backup(pair.source.address, path)).toMatchObject({ exitCode: 0, stderr: '' });
      const bytes = readFileSync(path);
      return Object.values(personal).filter((text) => bytes.includes(text));
    };
    expect(await inBackup('before')).toEqual(Object.values(personal));
    const erased = { adopter: null, contact: null, note: null };
    await storage.orders.update(id, erased, CHANGE_STAMP, anyState);
    expect(await inBackup('after')).toEqual([]);
    await storage.close();
  });

  test('is not restored under a running server', async () => {
    using folder = createTemporaryFolder();
    await using pair = await createPair(from, to);
    await putContent(pair.source.address, some());
    const path = folder.file('shop.backup');
    await backup(pair.source.address, path);
    const storage = await openStorage(pair.target.address, 'production');
    const settings = { PETSTORE_DATABASE: pair.target.address };
    const refused = await runPetstore(['restore', path, '--force'], settings);
    expectFailure(refused, 1, /is in use|is locked by another program/);
    await storage.close();
    await restore(pair.target.address, path);
    expect(await contentOf(pair.target.address)).toEqual(restoredContent(some()));
  });
});

describe('petstore backup', () => {
  test('leaves no file behind when it is stopped, wherever that is', async () => {
    using folder = createTemporaryFolder();
    const address = `sqlite:${folder.file('shop.db')}`;
    await putContent(address, some());
    let stopAt = 1;
    for (; ; stopAt += 4) {
      let asked = 0;
      const progress = { ...UNWATCHED, isInterrupted: () => ++asked >= stopAt };
      const source = await openSource(address);
      const target = { path: folder.file('shop.backup'), force: false, own: undefined };
      try {
        await backUp(source, target, progress);
        break;
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringMatching(/^stopped as you asked/) });
        expect(readdirSync(folder.path).filter((name) => name.includes('backup'))).toEqual([]);
      } finally {
        await source.close();
      }
    }
    expect(stopAt).toBeGreaterThan(10);
  });

  test('replaces a file with --force alone, and its own database never', async () => {
    using folder = createTemporaryFolder();
    const path = await someBackup(folder);
    const address = `sqlite:${folder.file('shop.db')}`;
    writeFileSync(path, 'something else');
    expectFailure(await backup(address, path), 1, /exists; choose another file, or say --force/);
    expect(readFileSync(path, 'utf8')).toBe('something else');
    expect(await backup(address, path, '--force')).toMatchObject({ exitCode: 0, stderr: '' });
    const link = folder.file('link');
    symlinkSync(folder.path, link);
    for (const suffix of ['', '-wal', '-shm', '-journal']) {
      for (const target of [folder.path, link]) {
        const own = await backup(address, join(target, `shop.db${suffix}`), '--force');
        expectFailure(own, 1, /is a file of the database itself/);
      }
    }
    expect(await contentOf(address)).toEqual(some());
  });

  test('says what is wrong with the place, or with the database', async () => {
    using folder = createTemporaryFolder();
    await someBackup(folder);
    const address = `sqlite:${folder.file('shop.db')}`;
    expectFailure(await backup(address, folder.file('none/x')), 1, /there is no folder .*none/);
    expectFailure(await backup(address, folder.path, '--force'), 1, /is a folder/);
    const nothing = `sqlite:${folder.file('nothing.db')}`;
    expectFailure(
      await backup(nothing, folder.file('x')),
      1,
      /no Petstore database at sqlite:\/.*nothing.db\. /,
    );
    expect(readdirSync(folder.path)).not.toContain('nothing.db');
  });

  // Skipped where nobody may mount: set CI=true to insist.
  test.skipIf(!canMountSmallDisks)('leaves nothing on a disk that is full', async () => {
    using folder = createTemporaryFolder();
    await someBackup(folder);
    using disk = mountSmallDisk(64);
    const address = `sqlite:${folder.file('shop.db')}`;
    const failed = await backup(address, join(disk.path, 'shop.backup'));
    expectFailure(failed, 1, /full|space/);
    expect(readdirSync(disk.path)).toEqual([]);
  });
});

describe('petstore restore', () => {
  /** Changes a backup behind its back. */
  function altered(path: string, ...statements: string[]): string {
    using database = new Database(path);
    for (const statement of statements) database.run(statement);
    return path;
  }

  test.each([
    ['of a later release', 'PRAGMA user_version = 99', /schema version 99/],
    ['of another program', 'PRAGMA application_id = 1', /another program/],
    [
      'whose rows refer to nothing',
      "INSERT INTO profiles VALUES (404, '{}', '{}')",
      /is damaged \(1 rows refer to rows that are not there\)/,
    ],
    ['of the other deployment', "UPDATE deployment SET environment = 'staging'", /staging/],
  ])('refuses a file %s, and changes nothing', async (_, statement, message) => {
    using folder = createTemporaryFolder();
    const path = altered(await someBackup(folder), 'PRAGMA foreign_keys = OFF', statement);
    const target = folder.file('target.db');
    expectFailure(await restore(`sqlite:${target}`, path), 1, message);
    expect(readdirSync(folder.path)).not.toContain('target.db');
  });

  test('refuses a file that is damaged, that is no database, or not there', async () => {
    using folder = createTemporaryFolder();
    const path = await someBackup(folder);
    const target = `sqlite:${folder.file('target.db')}`;
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length - 8_192));
    expectFailure(await restore(target, path), 1, /is damaged/);
    writeFileSync(path, 'notes\n'.repeat(1_000));
    expectFailure(await restore(target, path), 1, /is not a database, or is damaged/);
    writeFileSync(path, '');
    expectFailure(await restore(target, path), 1, /holds no data of Petstore/);
    expectFailure(await restore(target, folder.file('none')), 1, /none does not exist/);
  });
});
