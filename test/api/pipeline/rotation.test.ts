import { describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/domain/api-key.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import { createClient } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore, type TestKey } from '../../support/start.ts';
import { expectLimits } from './expect-limits.ts';

/** A change of a key takes effect on a running server within this time. */
const PROMISED_MS = 1_000;

const petstore = forAllTests(() => startPetstore());

/** Replaces a key with an overlap of a day, as another process does. */
async function rotate({ id }: TestKey): Promise<TestKey> {
  const text = generateKey('production', (n) => crypto.getRandomValues(new Uint8Array(n)));
  const rotation = { hash: hashKey(text), at: petstore.clock.now(), overlapMs: DAY_MS };
  const rotated = await petstore.storage.keys.rotate(id, rotation);
  if (rotated === undefined) throw new Error('there was no key to rotate');
  return { id: rotated.successor.id, text, client: createClient(() => petstore.url, text) };
}

test('after a rotation both keys work until the overlap ends', async () => {
  const old = await petstore.keyWith({});
  expect((await old.client.get('/v1/pets')).status).toBe(200);
  const end = petstore.clock.now() + DAY_MS;
  const successor = await rotate(old);
  expect((await successor.client.get('/v1/pets')).status).toBe(200);
  petstore.clock.set(end - 1);
  expect((await old.client.get('/v1/pets')).status).toBe(200);
  petstore.clock.set(end + PROMISED_MS - 2);
  expectError(await old.client.get('/v1/pets'), 'invalid_api_key');
  expect((await successor.client.get('/v1/pets')).status).toBe(200);
});

describe('a rotation gives no second allowance:', () => {
  const remaining = async ({ client }: TestKey) => {
    const { windows } = expectLimits(await client.get('/v1/pets'), petstore.clock.now());
    return [windows.get('minute')?.remaining, windows.get('day')?.remaining];
  };

  test('the successor continues the counts of the minute and of the day', async () => {
    const old = await petstore.keyWith({ plan: 'free' });
    expect(await remaining(old)).toEqual([59, 999]);
    const successor = await rotate(old);
    expect(await remaining(successor)).toEqual([58, 998]);
    expect(await remaining(old)).toEqual([57, 997]);
    const third = await rotate(successor);
    expect(await remaining(third)).toEqual([56, 996]);
    await petstore.restart();
    expect(await remaining(third)).toEqual([55, 995]);
    const usage = JSON.parse((await third.client.get('/v1/usage')).text);
    expect(usage).toMatchObject({ minute: { remaining: 55 }, day: { remaining: 995 } });
  });

  test('two rotations of one key do not either', async () => {
    const old = await petstore.keyWith({ perMinute: 3, perDay: 9 });
    const [second, third] = [await rotate(old), await rotate(old)];
    for (const { client } of [old, second, third]) {
      expect((await client.get('/v1/pets')).status).toBe(200);
    }
    for (const { client } of [old, second, third]) {
      expectError(await client.get('/v1/pets'), 'rate_limit_minute');
    }
  });

  test('a ban carries over to the successor, and an unban of either key lifts it for both', async () => {
    const old = await petstore.keyWith({ perMinute: 1, perDay: 1_000 });
    for (let i = 0; i < 61; i++) await old.client.get('/v1/pets');
    const successor = await rotate(old);
    expectError(await successor.client.get('/v1/pets'), 'api_key_banned');
    await petstore.storage.keys.unban(old.id, petstore.clock.now());
    petstore.clock.advance(PROMISED_MS - 1);
    expectError(await successor.client.get('/v1/pets'), 'rate_limit_minute');
    expectError(await old.client.get('/v1/pets'), 'rate_limit_minute');
  });
});

describe('a retry with the successor', () => {
  const BODY = '{"name":"Rex","categoryId":7}';
  const add = ({ client }: Pick<TestKey, 'client'>, key: string, body = BODY) =>
    client.post('/v1/pets', body, { 'idempotency-key': key });
  const count = () => petstore.storage.pets.count();

  test('gets the result of the request that the old key sent, and vice versa', async () => {
    const old = await petstore.keyWith({});
    const first = await add(old, 'mine');
    const successor = await rotate(old);
    const third = await rotate(successor);
    const before = await count();
    for (const retrying of [successor, third]) {
      const again = await add(retrying, 'mine');
      expect(again).toMatchObject({ status: 201, text: first.text });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    expectError(await add(third, 'mine', '{"name":"Rex"}'), 'idempotency_key_reused');
    expect(await count()).toBe(before);
    const made = await add(third, 'theirs');
    expect((await add(old, 'theirs')).text).toBe(made.text);
    expect(await count()).toBe(before + 1);
  });

  test('adds nothing twice if both keys send it at once', async () => {
    const old = await petstore.keyWith({});
    const successor = await rotate(old);
    const before = await count();
    const sent = Array.from({ length: 20 }, (_, i) => add(i % 2 ? old : successor, 'at-once'));
    for (const response of await Promise.all(sent)) {
      if (response.status !== 201) expectError(response, 'idempotency_in_progress');
    }
    expect(await count()).toBe(before + 1);
  });

  test('is a new request for a key of another family', async () => {
    await add(await petstore.keyWith({}), 'common');
    const before = await count();
    const other = await add(await petstore.keyWith({}), 'common');
    expect(other.headers.get('idempotent-replayed')).toBeNull();
    expect(await count()).toBe(before + 1);
  });
});
