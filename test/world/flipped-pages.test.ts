import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { makeBackup } from '../../src/backups/make.ts';
import { examined, findingsLike } from '../doctor/examination.ts';
import { runHere } from '../support/command-line.ts';
import { createPostgresDatabase } from '../support/postgres-engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startPetstore } from '../support/start.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import type { TestDatabase } from '../support/test-database.ts';

/*
 * A byte changes on the disk of a PostgreSQL server that keeps checksums, as its disk may do. No request is answered with a fault
 * of the service or with what is damaged, no backup is made of it, the good ones stay, and doctor says it.
 */

setDefaultTimeout(240_000);

const TABLES = ['pets', 'profiles', 'changes', 'orders', 'api_keys', 'photo_files', 'stays'];
const NO_PROGRESS = { start() {}, advance() {}, isInterrupted: () => false };
let server: PostgresServer;
let folder: TemporaryFolder;
beforeAll(async () => {
  server = await startPostgres();
  folder = createTemporaryFolder();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Changes a byte in each page of a file, behind its header. */
function flipPages(path: string): void {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  for (let at = 4_000; at < statSync(path).size; at += 8_192) {
    readSync(file, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ 0xff;
    writeSync(file, byte, 0, 1, at);
  }
  closeSync(file);
}

async function createShop(): Promise<TestDatabase> {
  const database = await createPostgresDatabase(server);
  const kept = { ...database, [Symbol.asyncDispose]: async () => {} };
  await using petstore = await startPetstore({
    engine: { name: 'postgres', createDatabase: async () => kept },
  });
  for (let n = 0; n < 20; n++) {
    const { text } = await petstore.admin.post('/v1/pets', { name: `Rex ${n}`, categoryId: 1 });
    const { id } = JSON.parse(text);
    const profile = { species: 'dog', description: 'Likes water. '.repeat(40), published: true };
    await petstore.admin.patch(`/v1/pets/${id}/profile`, profile);
    await petstore.admin.post('/v1/store/orders', { petId: id });
  }
  await petstore.storage.photoFiles.put(
    [{ name: 'a', content: new Uint8Array(9_000) }],
    Date.now(),
  );
  return database;
}

const READS = ['pets?limit=100', 'pets/8', 'animals?q=rex', 'listings?q=water', 'store/orders'];

test.each(TABLES)('pages of %s', async (table) => {
  const database = await createShop();
  const place = folder.file(table);
  mkdirSync(place);
  const order = { database: database.address, environment: 'production' as const, place };
  const often = { everyMs: 1, keep: 1, checks: true };
  const good = await makeBackup({ ...order, ...often, now: Date.now() - 60_000 }, NO_PROGRESS);
  expect(good.result).toBe('made');
  const [file] = await database.sql(`SELECT pg_relation_filepath('${table}') AS path`);
  {
    await using _ = await server.stop('fast');
    flipPages(`${server.data}/${file?.['path']}`);
  }
  const kept = { ...database, [Symbol.asyncDispose]: async () => {} };
  await startPetstore({ engine: { name: 'postgres', createDatabase: async () => kept } }).then(
    async (petstore) => {
      const faults: string[] = [];
      for (const target of [...READS.map((each) => `/v1/${each}`), '/adopt', '/readyz']) {
        const { status } = await petstore.admin.get(target);
        if (![200, 503].includes(status)) faults.push(`${target} ${status}`);
      }
      await petstore[Symbol.asyncDispose]();
      expect(faults).toEqual([]);
    },
    // A service whose keys cannot be read does not start.
    (error) => expect(String(error)).toMatch(/invalid page|database/i),
  );
  const { result, problem } = await makeBackup(
    { ...order, ...often, now: Date.now() },
    NO_PROGRESS,
  );
  expect([result, problem]).toEqual(['failed', expect.stringMatching(/invalid page/)]);
  expect(readdirSync(place).filter((name) => name.endsWith('.backup'))).toEqual([
    good.newest?.name ?? '',
  ]);
  const byHand = await runHere(['backup', folder.file(`${table}.backup`)], {
    PETSTORE_DATABASE: database.address,
  });
  expect([byHand.exitCode, byHand.stderr]).toEqual([1, expect.stringMatching(/invalid page/)]);
  const found = await examined({ PETSTORE_DATABASE: database.address });
  expect(findingsLike(found, 'database', /changed data|invalid page/)).not.toEqual([]);
});
