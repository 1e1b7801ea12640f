import { afterAll, beforeAll, expect, test } from 'bun:test';
import { generateKey } from '../../src/domain/api-key.ts';
import { RELEASE } from '../../src/settings/release.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { sendRaw } from '../support/raw-connection.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

let petstore: TestPetstore;

beforeAll(async () => {
  petstore = await startPetstore();
});
afterAll(() => petstore[Symbol.asyncDispose]());

/** The log record with this request id. */
async function recordOf(requestId: string): Promise<Record<string, unknown>> {
  const records = () => petstore.log.map((line) => JSON.parse(line));
  const found = await eventually(
    () => records().filter((record) => record.requestId === requestId),
    ({ length }) => length > 0,
  );
  expect(found).toHaveLength(1);
  return found[0];
}

test('a request is logged as one line: the request, the caller and the outcome', async () => {
  const { client, id } = await petstore.keyWith({});
  await client.get('/v1/pets/999', { 'x-request-id': 'the-one' });
  expect(await recordOf('the-one')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    requestId: 'the-one',
    keyId: String(id),
    operation: 'getPet',
    method: 'GET',
    path: '/v1/pets/999',
    status: 404,
    ms: expect.any(Number),
  });
});

test('a failure of the service is a warning, and probes are not logged', async () => {
  await petstore.database.sql('ALTER TABLE pets RENAME TO elsewhere');
  await petstore.reader.get('/v1/pets/7', { 'x-request-id': 'failed' });
  await petstore.database.sql('ALTER TABLE elsewhere RENAME TO pets');
  await petstore.anonymous.get('/livez', { 'x-request-id': 'probe' });
  await petstore.anonymous.get('/readyz', { 'x-request-id': 'probe' });
  await petstore.anonymous.get('/nowhere', { 'x-request-id': 'last' });
  await recordOf('last');
  const records = petstore.log.map((line) => JSON.parse(line));
  const ofFailed = records.filter(({ requestId }) => requestId === 'failed');
  expect(ofFailed.map(({ level, status }) => [level, status])).toEqual([
    ['error', undefined],
    ['warn', 500],
  ]);
  expect(records.filter(({ requestId }) => requestId === 'probe')).toEqual([]);
});

test('a line at the start says what serves', () => {
  const [line] = petstore.log
    .map((text) => JSON.parse(text))
    .filter(({ msg }) => msg === 'serving');
  expect(line).toEqual({
    level: 'info',
    time: expect.any(String),
    url: `${petstore.url}/v1`,
    metrics: expect.any(String),
    ...RELEASE,
    schema: expect.any(Number),
    msg: 'serving',
  });
});

test('the path is logged without its query', async () => {
  await petstore.reader.get('/v1/pets?name=secret-name', { 'x-request-id': 'with-query' });
  expect((await recordOf('with-query'))['path']).toBe('/v1/pets');
  await petstore.anonymous.get('/nowhere?token=secret-token', { 'x-request-id': 'outside' });
  expect((await recordOf('outside'))['path']).toBe('/nowhere');
  await petstore.anonymous.get('/v1/pets?%zz=secret-junk', { 'x-request-id': 'broken' });
  expect((await recordOf('broken'))['path']).toBe('/v1/pets');
  expect(petstore.log.join('')).not.toContain('secret-');
});

test('a long path is truncated, and a key that is cut with it is redacted', async () => {
  const key = petstore.writer.key ?? '';
  const before = `/v1/${'x'.repeat(230)}/`;
  await petstore.anonymous.get(`${before}${key}`, { 'x-request-id': 'long-path' });
  expect((await recordOf('long-path'))['path']).toBe(`${before}petstore_live_...…`);
  await petstore.anonymous.get(`/${'x'.repeat(10_000)}`, { 'x-request-id': 'longer-path' });
  expect(String((await recordOf('longer-path'))['path'])).toHaveLength(257);
});

test('a line cannot be forged', async () => {
  await sendRaw(
    petstore.port,
    'GET /v1/pets/%0A{"status":200} HTTP/1.1\r\nHost: x\r\nX-Request-Id: a"b\r\n\r\n',
  );
  for (const line of petstore.log) expect(() => JSON.parse(line)).not.toThrow();
});

test('no key appears in the log, wherever it was sent', async () => {
  const key = petstore.writer.key ?? '';
  const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  const unknown = generateKey('production', (n) => crypto.getRandomValues(new Uint8Array(n)));
  const { anonymous, writer } = petstore;
  for (const text of [key, wrong, unknown]) {
    await anonymous.get('/v1/pets', { authorization: `Bearer ${text}` });
    await anonymous.get('/v1/pets', { authorization: `Basic ${text}` });
    await anonymous.get('/v1/pets', { authorization: text });
    await anonymous.get(`/v1/pets?api_key=${text}`);
    await anonymous.get(`/v1/pets/${text}`);
    await anonymous.get(`/${text}`);
    await anonymous.get('/v1/pets', { 'x-request-id': text });
  }
  await writer.post('/v1/pets', { name: 'Rex', categoryId: 1, key });
  await petstore.database.sql('ALTER TABLE pets RENAME TO elsewhere');
  await writer.get('/v1/pets');
  await writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  await petstore.database.sql('ALTER TABLE elsewhere RENAME TO pets');
  await petstore.restart();

  const log = petstore.log.join('');
  expect(log).toContain('"err"');
  for (const text of [key, wrong, unknown, petstore.reader.key ?? '', petstore.admin.key ?? '']) {
    expect(log).not.toContain(text.slice('petstore_live_'.length, -6));
  }
  expect(log).not.toContain('Bearer');
});

test('limits in memory lead to a warning with a database for many instances', async () => {
  await using petstore = await startPetstore({ settings: { PETSTORE_LIMITS: 'memory:' } });
  const warned = petstore.log.filter((line) => line.includes('set PETSTORE_LIMITS'));
  expect(warned).toHaveLength(chosenEngine().name === 'postgres' ? 1 : 0);
});
