import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { generateKey } from '../../src/domain/api-key.ts';
import { hashKey } from '../../src/domain/secrets.ts';
import { openServer } from '../../src/server/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { INSIDE } from '../../src/storage/sqlite/access.ts';
import { openConnection } from '../../src/storage/sqlite/connection.ts';
import { createGroupCommit } from '../../src/storage/sqlite/group-commit.ts';
import { createSqliteRecords } from '../../src/storage/sqlite/storage.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createClient } from '../support/client.ts';
import { runPetstore } from '../support/command-line.ts';
import { sqliteDatabaseAt } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { startPetstore } from '../support/start.ts';
import { canMountSmallDisks, mountSmallDisk } from './small-disk.ts';
import { animal } from './subject.ts';

const STORAGE = join(import.meta.dir, '../../src/storage/sqlite/storage.ts');

/** Writes a file until the disk is full to the last byte. */
function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const bytes of [4096, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(bytes));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

/** The uploaded files that this process, which the server runs in, has open. They have no names. */
function openUploads(): readonly string[] {
  const folder = '/proc/self/fd';
  const targets = readdirSync(folder).flatMap((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor));
    } catch {
      // The one that lists the folder is closed by now.
      return [];
    }
  });
  return targets.filter((target) => target.includes('.petstore-upload'));
}

// Skipped without permission to mount. Set CI=true to fail instead.
describe.skipIf(!canMountSmallDisks)('a full disk', () => {
  test.each([0, 4, 16, 32, 64])(
    'at the start, with %d KiB left: an error that says so, exit 1',
    async (left) => {
      using disk = mountSmallDisk(1024);
      const file = openSync(join(disk.path, 'filler'), 'w');
      writeSync(file, Buffer.alloc((1024 - left) * 1024));
      closeSync(file);
      const path = join(disk.path, 'petstore.db');
      const { exitCode, stdout, stderr } = await runPetstore([
        'migrate',
        '--database',
        `sqlite:${path}`,
      ]);
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(/^petstore: .*space.*\n$/),
      });
      // Once there is space, the same command succeeds: nothing half-written is in its way.
      rmSync(join(disk.path, 'filler'));
      const again = await runPetstore(['migrate', '--database', `sqlite:${path}`]);
      expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  test('while it runs: writes get 503, reads continue, nothing is damaged, and it recovers', async () => {
    using disk = mountSmallDisk(2048);
    const path = join(disk.path, 'petstore.db');
    const createDatabase = async () => sqliteDatabaseAt(path);
    await using petstore = await startPetstore({ engine: { name: 'sqlite', createDatabase } });
    const add = () => petstore.writer.post('/v1/pets', { name: 'x'.repeat(255), categoryId: 1 });
    expect((await add()).status).toBe(201);
    fillUp(join(disk.path, 'filler'));

    let added = 1;
    let refused = await add();
    while (refused.status === 201) {
      added++;
      refused = await add();
    }
    expect(expectError(refused, 'service_unavailable')).toContain('disk of the database is full');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    const logged = petstore.log.filter((line) => line.includes('request failed'));
    expect(logged.join()).toContain('"code":"SQLITE_FULL"');
    const listed = await petstore.reader.get('/v1/pets?limit=100');
    expect(listed.status).toBe(200);
    expect(await petstore.storage.pets.count()).toBe(added);

    rmSync(join(disk.path, 'filler'));
    expect((await add()).status).toBe(201);
    expect(await petstore.storage.pets.count()).toBe(added + 1);
    await petstore.restart();
    expect(await petstore.storage.pets.count()).toBe(added + 1);
    using database = new Database(path);
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  }, 60_000);

  test('while a file for an import arrives: it is refused, and leaves nothing behind', async () => {
    using disk = mountSmallDisk(4096);
    const createDatabase = async () => sqliteDatabaseAt(join(disk.path, 'petstore.db'));
    await using petstore = await startPetstore({ engine: { name: 'sqlite', createDatabase } });
    const filler = join(disk.path, 'filler');
    fillUp(filler);
    truncateSync(filler, statSync(filler).size - 256 * 1024);

    // Empty lines are skipped.
    const body = `name,categoryId\nRex,1\n${'\n'.repeat(1024 * 1024)}`;
    const send = () =>
      petstore.writer.send('POST', '/v1/imports', {
        headers: { 'content-type': 'text/csv' },
        body,
      });
    const refused = await send();
    expectError(refused, 'service_unavailable');
    expect(refused.text).toContain('The disk for files is full; nothing was changed');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(openUploads()).toEqual([]);
    expect((await petstore.writer.get('/v1/imports')).text).toBe('[]');
    // What was written of the file is free again.
    const { bavail, bsize } = statfsSync(disk.path);
    expect(bavail * bsize).toBeGreaterThan(128 * 1024);

    rmSync(filler);
    const accepted = await send();
    expect(accepted.status).toBe(202);
    const { id } = JSON.parse(accepted.text);
    const ended = await eventually(
      () => petstore.writer.get(`/v1/imports/${id}`),
      ({ text }) => /"status":"(?:completed|failed)"/.test(text),
    );
    expect(JSON.parse(ended.text)).toMatchObject({ status: 'completed', created: 1 });
    expect(openUploads()).toEqual([]);
  }, 60_000);

  test.each(['stopped', 'killed'])(
    'at the restart of a service that was %s: reads work, writes once there is space',
    async (end) => {
      using disk = mountSmallDisk(2048);
      const path = join(disk.path, 'petstore.db');
      const text = generateKey('production', (count) =>
        crypto.getRandomValues(new Uint8Array(count)),
      );
      const program = `
        const { openSqliteStorage } = await import(${JSON.stringify(STORAGE)});
        const storage = openSqliteStorage(${JSON.stringify(path)}, 'production');
        await storage.keys.create({ hash: '${hashKey(text)}', name: 'a test', plan: 'business',
          perMinute: null, perDay: null, scopes: ['write'], createdAt: 0, expiresAt: null });
        const pet = { name: 'Willow', categoryId: 1n, status: 'available' };
        await storage.pets.create(pet, { at: 0, keyId: null });
        if (${end === 'killed'}) process.kill(process.pid, 'SIGKILL');
        await storage.close();`;
      await Bun.spawn([process.execPath, '-e', program]).exited;
      fillUp(join(disk.path, 'filler'));

      const lines: string[] = [];
      const config = readConfig(
        {},
        { PETSTORE_DATABASE: `sqlite:${path}`, PETSTORE_PORT: '0', PETSTORE_OPS_PORT: 'off' },
      );
      const log = openLog('warn', { write: (line) => lines.push(line) });
      const server = await openServer(config, { log });
      const client = createClient(() => server.url, text);
      const add = () => client.post('/v1/pets', { name: 'x'.repeat(255), categoryId: 1 });
      try {
        const listed = await client.get('/v1/pets?name=willow');
        expect([listed.status, listed.text]).toEqual([200, expect.stringContaining('"Willow"')]);
        expect((await client.get('/readyz')).status).toBe(200);
        let refused = await add();
        // The log left by a killed service may have room for some.
        for (let n = 0; n < 100 && refused.status === 201; n++) refused = await add();
        expectError(refused, 'service_unavailable');
        rmSync(join(disk.path, 'filler'));
        expect((await add()).status).toBe(201);
      } finally {
        await server.close();
      }
      const warnings = lines.filter((line) => line.includes('the disk is full: reads are served'));
      expect(warnings.length).toBe(end === 'stopped' ? 1 : 0);
      using database = new Database(path);
      expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    },
    60_000,
  );

  test.each([
    ['when the group is committed', 2_000],
    ['in the middle of the group', 10],
  ])('%s: the whole group fails, and nothing of it is stored', async (_, cachePages) => {
    using disk = mountSmallDisk(2048);
    using database = openConnection(join(disk.path, 'petstore.db'), 'production');
    // Pages that do not fit into the cache go to the disk before the commit.
    database.run(`PRAGMA cache_size = ${cachePages}`);
    const write = createGroupCommit(database);
    const { pets } = createSqliteRecords(database, { ...INSIDE, write });
    const add = async () => await pets.create(animal({ name: 'x'.repeat(255) }), CHANGE_STAMP);
    await add();
    fillUp(join(disk.path, 'filler'));

    const outcomes = await Promise.allSettled(Array.from({ length: 400 }, add));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'service_unavailable' },
      });
    }
    expect(await pets.count()).toBe(1);

    rmSync(join(disk.path, 'filler'));
    expect((await add()).id).toBe(2n);
    expect(await pets.count()).toBe(2);
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  });
});
