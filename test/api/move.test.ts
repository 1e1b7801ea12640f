import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { idOf } from '../support/animals.ts';
import { type Client, createClient } from '../support/client.ts';
import { runPetstore } from '../support/command-line.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { createPair, type Pair } from '../transfer/moving.ts';
import { pairs } from '../transfer/pairs.ts';

// The tests start databases and commands, which is slow on a busy machine.
setDefaultTimeout(120_000);

const INT64_MIN = '-9223372036854775808';
const INT64_MAX = '9223372036854775807';
const IDEMPOTENT = { 'idempotency-key': '"a key — with ☃"'.replace(/[^ -~]/g, '_') };
const IDEMPOTENT_BODY = { name: 'Only once', categoryId: 1 };

/** Every list and every single record, to compare the old server with the new one. */
const TARGETS = [
  '/v1/pets?limit=100',
  '/v1/pets/1',
  '/v1/pets/1/history',
  '/v1/pets?status=pending',
  '/v1/pets?name=%C3%9F',
  '/v1/pets/6',
  '/v1/categories',
  '/v1/categories/2',
  '/v1/store/orders',
  '/v1/store/orders/1',
  '/v1/store/orders/9',
];

/** Creates every kind of record through the API. */
async function fill({ writer, admin }: TestPetstore): Promise<void> {
  const pet = (name: string, categoryId: string | number) =>
    writer.post('/v1/pets', `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`);
  for (const name of ['Cats', 'Füchse', 'to be removed']) {
    await admin.post('/v1/categories', { name });
  }
  await admin.delete('/v1/categories/3');
  await pet('Luna', INT64_MIN);
  await pet('GROẞE 🐈‍⬛', INT64_MAX);
  await pet('O\'Malley \\ "the" cat', 1);
  await pet('café', 2);
  await pet('cafe\u0301', 0);
  await pet('to be removed', 1);
  await writer.delete('/v1/pets/6');
  await writer.post('/v1/store/orders', { petId: 1, adopter: 'Zoë' });
  await writer.patch('/v1/store/orders/1', { status: 'approved' });
  await writer.post('/v1/store/orders', { petId: 2 });
  await writer.patch('/v1/store/orders/2', { status: 'cancelled' });
  await writer.patch('/v1/pets/4', { status: 'sold' });
  await writer.post('/v1/pets', IDEMPOTENT_BODY, IDEMPOTENT);
}

/** Reads every list and record of a server; leaves out the times. */
async function readAll(client: Client): Promise<unknown[]> {
  const responses = [];
  for (const target of TARGETS) {
    const { status, text, headers } = await client.get(target);
    responses.push({ target, status, text, etag: headers.get('etag') });
  }
  return responses;
}

/** Links look the same on both servers. Counts move too if the database holds them. */
const settings = {
  PETSTORE_BASE_URL: 'https://petstore.example/v1',
  PETSTORE_LIMITS: 'memory:',
};

async function moved(pair: Pair): Promise<TestPetstore> {
  const { source, target } = pair;
  const finished = await runPetstore(['move', '--from', source.address, '--to', target.address]);
  expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
  const engine = { name: 'moved', createDatabase: async () => target };
  return await startPetstore({ settings, engine });
}

describe.each(pairs)('a service that was moved from $name', ({ from, to }) => {
  test('returns the same ids, entity tags, keys, limits and replayed responses', async () => {
    await using pair = await createPair(from, to);
    await using old = await startPetstore({
      settings,
      engine: { name: 'old', createDatabase: async () => pair.source },
    });
    await fill(old);
    const unmetered = await old.keyWith({ plan: 'free' });
    const revoked = await old.keyWith({});
    await old.storage.keys.revoke(revoked.id, old.clock.now());
    const banned = await old.keyWith({ plan: 'enterprise', perMinute: 1 });
    for (let n = 0; n < 62; n++) await banned.client.get('/v1/pets');
    for (let n = 0; n < 5; n++) await unmetered.client.get('/v1/pets');
    const before = await readAll(old.writer);
    // A server writes its counts when it stops.
    await old.restart();

    await using next = await moved(pair);
    const withKey = (key: string | undefined) => createClient(() => next.url, key);
    expect(await readAll(withKey(old.writer.key))).toEqual(before);

    const counted = await withKey(unmetered.text).get('/v1/pets');
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('54');
    expect((await withKey(revoked.text).get('/v1/pets')).status).toBe(401);
    expect((await withKey(banned.text).get('/v1/pets')).text).toContain('api_key_banned');

    const writer = withKey(old.writer.key);
    const repeated = await writer.post('/v1/pets', IDEMPOTENT_BODY, IDEMPOTENT);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(idOf(repeated)).toBe(7n);
    expect(idOf(await writer.post('/v1/pets', { name: 'New', categoryId: 1 }))).toBe(8n);
    const admin = withKey(old.admin.key);
    expect(idOf(await admin.post('/v1/categories', { name: 'to be removed' }))).toBe(4n);
    expect((await admin.post('/v1/categories', { name: 'FÜCHSE' })).status).toBe(409);
    const order = await writer.post('/v1/store/orders', { petId: 3 });
    expect(JSON.parse(order.text)).toMatchObject({ id: 3, petId: 3, status: 'placed' });
    expect((await writer.post('/v1/store/orders', { petId: 1 })).status).toBe(409);
  });
});
