import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import { addAnimals } from '../support/animals.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { createServingKey, type Serving, serving } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const SCRIPT = join(import.meta.dir, 'crash/kill-after-commit.ts');

let folder: TemporaryFolder;
let settings: { readonly PETSTORE_DATABASE: string; readonly PETSTORE_PORT: string };
let key: string;
let running: Serving['child'][];
beforeEach(async () => {
  folder = createTemporaryFolder();
  const database = `sqlite:${folder.file('petstore.db')}`;
  settings = { PETSTORE_DATABASE: database, PETSTORE_PORT: '0' };
  running = [];
  key = await createServingKey(settings, '--plan', 'business');
  const storage = await openStorage(database, 'production');
  await addAnimals(storage, [{ name: 'Luna' }]);
  await storage.close();
});
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await child.exited;
  }
  folder[Symbol.dispose]();
});

async function start(child: Serving['child']): Promise<Serving> {
  running.push(child);
  return await serving(child, key);
}
const startToKill = () =>
  start(
    Bun.spawn([process.execPath, SCRIPT], {
      env: { PATH: process.env['PATH'] ?? '', ...settings },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    }),
  );

describe('kill -9 between commit and response', () => {
  test.each([
    ['/v1/pets', '{"name":"Rex","categoryId":7}', 2],
    ['/v1/categories', '{"name":"Dog"}', 1],
    ['/v1/store/orders', '{"petId":1}', 1],
  ])(
    'POST %s retried after the restart: one record, and its first response',
    async (path, body, count) => {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const { child, client } = await startToKill();
      await expect(client.post(path, body, headers)).rejects.toThrow();
      expect(await child.exited).not.toBe(0);
      expect(child.signalCode).toBe('SIGKILL');

      const second = await start(spawnPetstore(['serve'], settings));
      const list = async () => JSON.parse((await second.client.get(path)).text);
      // The record was on disk, but no client got a response.
      const [stored, ...others] = (await list()).reverse();
      expect(others).toHaveLength(count - 1);

      const again = await second.client.post(path, body, headers);
      expect(again.status).toBe(201);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(JSON.parse(again.text)).toEqual(stored);
      expect(again.headers.get('location')).toEndWith(`${path}/${stored.id}`);
      expect(await list()).toHaveLength(count);
      expect((await second.client.post(path, body, headers)).text).toBe(again.text);
      expect(await list()).toHaveLength(count);
    },
    60_000,
  );

  test('without an Idempotency-Key the record is complete too', async () => {
    const { client } = await startToKill();
    const adding = client.post('/v1/store/orders', '{"petId":1}');
    await expect(adding).rejects.toThrow();
    const second = await start(spawnPetstore(['serve'], settings));
    expect((await second.client.get('/v1/pets')).text).toContain('"status":"pending"');
    expect(JSON.parse((await second.client.get('/v1/store/orders')).text)).toHaveLength(1);
    const refused = await second.client.post('/v1/store/orders', '{"petId":1}');
    expect(refused.status).toBe(409);
  }, 60_000);
});
