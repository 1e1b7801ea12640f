import { afterEach, beforeEach, expect, test } from 'bun:test';
import { fstatSync, openSync } from 'node:fs';
import { IMPORT_LEASE_MS } from '../../src/domain/import.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { createImportQueue } from '../../src/import/queue.ts';
import { openStorage } from '../../src/storage/open.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const NOW = Date.UTC(2026, 10, 22, 9);

let folder: TemporaryFolder;
let storage: Storage;
beforeEach(async () => {
  folder = createTemporaryFolder();
  storage = await openStorage(`sqlite:${folder.file('petstore.db')}`, 'production');
});
afterEach(async () => {
  await storage.close();
  folder[Symbol.dispose]();
});

test('an import whose code cannot be loaded fails, and the next one goes on', async () => {
  const errors: unknown[] = [];
  let loads = 0;
  const load = () =>
    loads++ === 0
      ? Promise.reject(new Error('no descriptor'))
      : import('../../src/import/run-task.ts');
  const queue = createImportQueue(
    { imports: storage.imports, clock: { now: () => NOW }, failed: (error) => errors.push(error) },
    load,
  );

  async function start(): Promise<{ id: bigint; descriptor: number }> {
    const path = folder.file(crypto.randomUUID());
    const text = 'name,categoryId\nRex,7\n';
    await Bun.write(path, text);
    const descriptor = openSync(path, 'r');
    const record = await storage.imports.create({
      ...{ keyId: 1n, dryRun: false, createdAt: NOW, owner: queue.owner },
      leaseEndsAt: NOW + IMPORT_LEASE_MS,
    });
    const upload = { descriptor, bytes: text.length, digest: '', mediaType: 'text/csv' };
    queue.start({ record, upload, format: 'csv', mapping: {}, overwrite: false });
    return { id: record.id, descriptor };
  }
  const ended = (id: bigint) =>
    eventually(
      async () => storage.imports.find(id),
      (found) => found?.endedAt !== null,
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
