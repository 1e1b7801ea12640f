import { afterEach, beforeEach, expect, test } from 'bun:test';
import { fstatSync, openSync } from 'node:fs';
import { IMPORT_LEASE_MS, type ImportRecord } from '../../src/domain/import.ts';
import { issueKey } from '../../src/domain/key-lifecycle.ts';
import { FIXED_PLANS } from '../../src/domain/plan.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { createImportQueue } from '../../src/import/queue.ts';
import type { PhotoSource } from '../../src/import/take-photos.ts';
import { openStorage } from '../../src/storage/open.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const NOW = Date.UTC(2026, 10, 22, 9);
const TEXT = 'name,categoryId\nRex,7\n';

let folder: TemporaryFolder;
let storage: Storage;
let keyId: bigint;
beforeEach(async () => {
  folder = createTemporaryFolder();
  storage = await openStorage(`sqlite:${folder.file('petstore.db')}`, 'production');
  keyId = await createKey();
});
afterEach(async () => {
  await storage.close();
  folder[Symbol.dispose]();
});

async function createKey(): Promise<bigint> {
  const { key } = await issueKey(
    { keys: storage.keys, environment: 'production', now: NOW },
    { name: 'a volunteer', plan: FIXED_PLANS.free, scopes: ['write'] },
  );
  return key.id;
}

/** No file here names photos. */
const NO_PHOTO_SOURCE: PhotoSource = {
  fetch: () => Promise.reject(new Error('no photo')),
  take: () => Promise.reject(new Error('no photo')),
  turn: <T>(work: () => Promise<T>) => work(),
  wait: () => Promise.resolve(),
};

/** A queue whose imports start once `load` lets them. */
function createQueue(
  load = () => import('../../src/import/run-task.ts'),
  photos: PhotoSource = NO_PHOTO_SOURCE,
) {
  const errors: unknown[] = [];
  const clock = { now: () => NOW };
  const failed = (error: unknown) => errors.push(error);
  const queue = createImportQueue(
    { storage, maxCategories: 3, clock, failed, photosFor: () => photos },
    load,
  );

  async function start(by = keyId, text = TEXT): Promise<{ id: bigint; descriptor: number }> {
    const path = folder.file(crypto.randomUUID());
    await Bun.write(path, text);
    const descriptor = openSync(path, 'r');
    const record = await storage.imports.create({
      keyId: by,
      dryRun: false,
      createdAt: NOW,
      choices: '',
      owner: queue.owner,
      leaseEndsAt: NOW + IMPORT_LEASE_MS,
    });
    const upload = uploadOf(descriptor, text.length);
    queue.start({
      record,
      familyId: by,
      upload,
      encoding: undefined,
      policy: { withHistory: false, missing: 'keep', missingMost: 20 },
      mapping: {},
      overwrite: false,
      publish: false,
      onlyNamed: false,
      photos: true,
    });
    return { id: record.id, descriptor };
  }

  return { queue, errors, start };
}

const uploadOf = (descriptor: number, bytes: number) => ({
  descriptor,
  bytes,
  digest: '',
});

const ended = (id: bigint) =>
  eventually(
    async () => storage.imports.find(id),
    (found) => found?.endedAt !== null,
  );

test('an import whose code cannot be loaded fails, and the next one goes on', async () => {
  let loads = 0;
  const { queue, errors, start } = createQueue(() =>
    loads++ === 0
      ? Promise.reject(new Error('no descriptor'))
      : import('../../src/import/run-task.ts'),
  );
  const first = await start();
  expect(await ended(first.id)).toMatchObject({
    status: 'failed',
    failure: { code: 'internal_error' },
  });
  expect(errors).toEqual([new Error('no descriptor')]);
  const second = await start();
  expect(await ended(second.id)).toMatchObject({ status: 'completed', animals: { created: 1 } });
  await queue.end();
  for (const { descriptor } of [first, second])
    expect(() => fstatSync(descriptor)).toThrow('EBADF');
});

test('photos hold up no other import, and the end of the process ends the fetching of them', async () => {
  const asked: string[] = [];
  const hangs: PhotoSource = {
    ...NO_PHOTO_SOURCE,
    async fetch(address, signal) {
      asked.push(address);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { reason: 'It hangs.', isFinal: false };
    },
  };
  const { queue, errors, start } = createQueue(undefined, hangs);
  const text =
    'Id,Name,Species,Photo\n1,Rex,Dog,https://a.example/1.jpg\n2,Mia,Cat,https://a.example/2.jpg\n';
  const withPhotos = await start(keyId, text);
  await eventually(
    async () => asked.length,
    (count) => count === 2,
  );
  expect(() => fstatSync(withPhotos.descriptor)).toThrow('EBADF');
  const other = await start();
  expect(await ended(other.id)).toMatchObject({ status: 'completed' });
  expect(await storage.imports.find(withPhotos.id)).toMatchObject({
    status: 'running',
    rows: { photos: { found: 2, added: 0 } },
  });
  await queue.end();
  expect(await storage.imports.find(withPhotos.id)).toMatchObject({
    status: 'failed',
    failure: { code: 'interrupted' },
    animals: { created: 2 },
  });
  expect(errors).toEqual([]);
});

test('a queued import of a key that was revoked, or may no longer write, writes nothing', async () => {
  const open = Promise.withResolvers<void>();
  const { queue, errors, start } = createQueue(async () => {
    await open.promise;
    return await import('../../src/import/run-task.ts');
  });
  const demoted = await createKey();
  const imports = [await start(), await start(demoted)];
  await storage.keys.revoke(keyId, NOW);
  await storage.keys.update(demoted, NOW, (key) => ({ ...key, scopes: ['read'] }));
  open.resolve();
  for (const { id } of imports) {
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'key_revoked' },
      animals: { created: 0 },
    });
  }
  expect(await storage.pets.count()).toBe(0);
  expect(errors).toEqual([]);
  await queue.end();
});

test('an import ends before the batch after its key was revoked', async () => {
  const { queue, start } = createQueue();
  const { id } = await start(keyId, `name,categoryId\n${'Rex,7\n'.repeat(2_000)}`);
  await eventually(
    async () => storage.pets.count(),
    (count) => count > 0,
  );
  await storage.keys.revoke(keyId, NOW);
  const record: ImportRecord | undefined = await ended(id);
  expect(record).toMatchObject({ status: 'failed', failure: { code: 'key_revoked' } });
  expect(await storage.pets.count()).toBe(record?.animals.created ?? 0);
  expect(record?.animals.created).toBeLessThan(2_000);
  await queue.end();
});

test('families of keys take turns, and none fills the queue alone', async () => {
  const open = Promise.withResolvers<void>();
  const order: bigint[] = [];
  const { queue, start } = createQueue(async () => {
    await open.promise;
    const { runTask } = await import('../../src/import/run-task.ts');
    return {
      ...(await import('../../src/import/run-task.ts')),
      async runTask(...args: Parameters<typeof runTask>) {
        order.push(args[0].familyId);
        await runTask(...args);
      },
    };
  });
  const [other, third] = [await createKey(), await createKey()];
  const upload = uploadOf(-1, TEXT.length);
  // The first runs at once, so ten more may wait.
  for (let n = 0; n <= 10; n++) {
    queue.requireRoom(upload, keyId);
    await start();
  }
  expect(() => queue.requireRoom(upload, keyId)).toThrow('Too many imports');
  queue.requireRoom(upload, other);
  await start(other);
  await start(third);
  const last = await start(other);
  open.resolve();
  await ended(last.id);
  expect(order.slice(0, 6)).toEqual([keyId, other, third, keyId, other, keyId]);
  await queue.end();
});

test('one family takes half of the disk space at most', () => {
  const { queue } = createQueue();
  const bytes = 134_217_728;
  queue.requireRoom(uploadOf(-1, bytes), keyId);
  expect(() => queue.requireRoom(uploadOf(-1, bytes + 1), keyId)).toThrow('Too many imports');
});

test('an import that waits is cancelled, and writes nothing', async () => {
  const open = Promise.withResolvers<void>();
  const { queue, errors, start } = createQueue(async () => {
    await open.promise;
    return await import('../../src/import/run-task.ts');
  });
  const first = await start();
  const second = await start();
  expect(await storage.imports.cancel(second.id, NOW)).toBe(true);
  expect(await storage.imports.cancel(second.id, NOW)).toBe(false);
  open.resolve();
  await ended(first.id);
  await queue.end();
  expect(await storage.imports.find(second.id)).toMatchObject({
    status: 'failed',
    failure: { code: 'cancelled' },
  });
  expect(await storage.pets.count()).toBe(1);
  expect(errors).toEqual([]);
  for (const { descriptor } of [first, second])
    expect(() => fstatSync(descriptor)).toThrow('EBADF');
});
