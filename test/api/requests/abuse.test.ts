import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

/*
 * The effect of a single request is bounded, whatever it contains. The other bounds are
 * tested with their operations: bodies in create-pet.test.ts, targets in
 * request-target.test.ts, lists of ids in filters.test.ts.
 */

const PAGE_MAX = 100;

const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  await addAnimals(
    petstore.storage,
    Array.from({ length: PAGE_MAX + 1 }, (_, i) => ({ name: `Rex ${i}` })),
  );
});

describe('one request', () => {
  test('may have 1,000 members in its body and not more', async () => {
    const bodyOf = (others: number) => {
      const members = Array.from({ length: others }, (_, i) => `"k${i}":0`);
      return `{"name":"Rex","categoryId":1,${members.join(',')}}`;
    };
    expect((await petstore.writer.post('/v1/pets', bodyOf(998))).status).toBe(201);
    const refused = await petstore.writer.post('/v1/pets', bodyOf(999));
    expect(expectError(refused, 'invalid_json')).toContain('more than 1000 members');
  });

  test.each(['limit=101', 'limit=1000000', 'limit=99999999999999999999', 'limit=1e3'])(
    'cannot ask for a larger page: %s',
    async (query) => {
      expectError(await petstore.reader.get(`/v1/pets?${query}`), 'invalid_parameter');
    },
  );

  test('gets a page of at most 100, whatever other parameters it has', async () => {
    const ids = Array.from({ length: PAGE_MAX }, (_, i) => i + 1).join(',');
    for (const query of ['limit=100', `limit=100&id=${ids}`, 'limit=100&name=']) {
      const { status, text } = await petstore.reader.get(`/v1/pets?${query}`);
      if (status === 200) expect(JSON.parse(text).length).toBeLessThanOrEqual(PAGE_MAX);
    }
    expectError(await petstore.reader.get(`/v1/pets?id=${ids},101`), 'invalid_parameter');
  });

  test('with a cursor of any length is refused for the cursor', async () => {
    for (const length of [23, 1_000, 8_000]) {
      const cursor = 'A'.repeat(length);
      expectError(await petstore.reader.get(`/v1/pets?cursor=${cursor}`), 'invalid_cursor');
    }
  });

  test('makes the service call nobody: a URL in a member is just text', async () => {
    const requested: string[] = [];
    using trap = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        requested.push(request.url);
        return new Response();
      },
    });
    const address = `http://127.0.0.1:${trap.port}/`;
    const headers = { 'x-forwarded-host': address, referer: address, origin: address };
    await petstore.writer.post('/v1/pets', { name: address, categoryId: 1, url: address }, headers);
    await petstore.writer.post('/v1/store/orders', { petId: 1, adopter: address }, headers);
    await petstore.reader.get(`/v1/pets?name=${encodeURIComponent(address)}&url=${address}`);
    await petstore.anonymous.get(`/docs?url=${address}`);
    expect(requested).toEqual([]);
  });

  test('gets nothing extra through unknown members', async () => {
    const body = {
      name: 'Rex',
      categoryId: 1,
      id: 7,
      externalId: 'x',
      keyId: 1,
      scopes: ['admin'],
    };
    const created = await petstore.writer.post('/v1/pets', body);
    const pet = JSON.parse(created.text);
    expect(Object.keys(pet)).toEqual(['id', 'name', 'categoryId', 'status']);
    expect(pet.id).not.toBe(7);
  });
});
