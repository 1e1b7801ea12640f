import { expect, setDefaultTimeout, test } from 'bun:test';
import { loggedPathOf, openLog, sampleRequests } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { startPetstore } from '../support/start.ts';

// The last may have to start a database server.
setDefaultTimeout(60_000);

/** What a log with this share writes of requests with these statuses, chances being 0, 0.1, 0.2 … */
function written(share: number, statuses: readonly number[]): Record<string, unknown>[] {
  const lines: string[] = [];
  let chance = 0;
  const log = sampleRequests(
    openLog('info', { write: (line) => lines.push(line) }),
    share,
    () => false,
    () => chance++ / 10,
  );
  for (const [i, status] of statuses.entries()) {
    log.request({
      requestId: `request-${i}`,
      keyId: undefined,
      operation: undefined,
      method: 'GET',
      path: loggedPathOf('/v1/pets'),
      status,
      milliseconds: 1,
    });
  }
  return lines.map((line) => JSON.parse(line));
}

const TEN = Array.from({ length: 10 }, () => 200);

test('logs the configured share of requests, and the share in each line', () => {
  const some = written(0.3, TEN);
  expect(some.map(({ requestId }) => requestId)).toEqual(['request-0', 'request-1', 'request-2']);
  expect(some.map(({ sample }) => sample)).toEqual([0.3, 0.3, 0.3]);
  expect(written(0, TEN)).toEqual([]);
  const all = written(1, TEN);
  expect(all).toHaveLength(10);
  expect(all[0]).not.toHaveProperty('sample');
});

test('a request that fails through our fault is always logged, without a share', () => {
  const failed = written(0, [200, 404, 429, 500, 503]);
  expect(failed.map(({ status }) => status)).toEqual([500, 503]);
  expect(failed[0]).not.toHaveProperty('sample');
});

test('the setting takes effect, and the metrics still count every request', async () => {
  await using petstore = await startPetstore({ settings: { PETSTORE_LOG_SAMPLE: '0' } });
  await petstore.reader.get('/v1/pets');
  await petstore.reader.get('/v1/pets/999');
  await petstore.database.destroy();
  await petstore.writer.get('/v1/pets/1');
  const requests = petstore.log.filter((line) => line.includes('"operation"'));
  expect(requests.map((line) => JSON.parse(line).status)).toEqual([503]);
  expect(petstore.log.some((line) => line.includes('request failed'))).toBe(true);
  const text = await (await fetch(petstore.metricsUrl)).text();
  expect(text).toContain('petstore_http_requests_total{operation="listPets",status="200"} 1');
});

test('changes of access and of the shop, and the start of a ban, are always logged', async () => {
  const settings = { PETSTORE_LOG_SAMPLE: '0', PETSTORE_BAN_REFUSALS: '3' };
  await using petstore = await startPetstore({ settings });
  const { admin } = petstore;
  await admin.get('/v1/shop');
  expect((await admin.patch('/v1/shop', { name: 'Paws' })).status).toBe(200);
  const key = { name: 'a partner', plan: 'free', scopes: ['read'] };
  expect((await admin.post('/v1/keys', key)).status).toBe(201);
  expect((await admin.post('/v1/keys', {})).status).toBe(400);
  const { client, id } = await petstore.keyWith({ perMinute: 1 });
  for (let i = 0; i < 5; i++) await client.get('/v1/pets');
  const lines = await eventually(
    () => petstore.log.map((line) => JSON.parse(line)).filter(({ operation }) => operation),
    ({ length }) => length >= 4,
  );
  expect(
    lines.map(({ operation, status, keyId, setsBan }) => [operation, status, keyId, setsBan]),
  ).toEqual([
    ['updateShop', 200, expect.any(String), undefined],
    ['createKey', 201, expect.any(String), undefined],
    ['createKey', 400, expect.any(String), undefined],
    ['listPets', 429, String(id), true],
  ]);
});
