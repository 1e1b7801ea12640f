import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals, idOf, linksOf, targetOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

describe('GET /v1/pets/{petId}/history (listPetHistory)', () => {
  let petstore: TestPetstore;

  beforeAll(async () => {
    petstore = await startPetstore();
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  const add = async (status = 'available') =>
    idOf(await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7, status }));
  const get = (id: bigint, query = '') => petstore.reader.get(`/v1/pets/${id}/history${query}`);
  const statusesIn = (text: string) =>
    JSON.parse(text).map(({ status }: { status: string }) => status);

  describe('200', () => {
    test('lists each status, its time and its key, byte for byte', async () => {
      const seller = await petstore.keyWith({ name: 'seller' });
      const adopter = await petstore.keyWith({ name: 'adopter' });
      const start = petstore.clock.now();
      const created = await seller.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      const path = `/v1/pets/${idOf(created)}`;
      petstore.clock.advance(1_500);
      const body = { petId: Number(idOf(created)) };
      const order = idOf(await adopter.client.post('/v1/store/orders', body));
      petstore.clock.advance(1);
      await seller.client.patch(`/v1/store/orders/${order}`, { status: 'cancelled' });
      await seller.client.patch(path, { name: 'Tom', status: 'available' });

      const response = await petstore.reader.get(`${path}/history`);
      const [first = 0] = JSON.parse(response.text).map(({ id }: { id: number }) => id);
      const entry = (i: number, status: string, later: number, keyId: bigint) =>
        `{"id":${first + i},"status":"${status}",` +
        `"changedAt":"${new Date(start + later).toISOString()}","keyId":${keyId}}`;
      expect(response.status).toBe(200);
      expect(response.text).toBe(
        `[${entry(0, 'available', 0, seller.id)},` +
          `${entry(1, 'pending', 1_500, adopter.id)},` +
          `${entry(2, 'available', 1_501, seller.id)}]`,
      );
      expect(response.headers.get('link')).toBe(`<${petstore.url}${path}/history>; rel="first"`);
    });

    test('names no key if the operator made the change', async () => {
      await addAnimals(petstore.storage, [{ name: 'From a file', status: 'sold' }]);
      const [pet] = JSON.parse((await petstore.reader.get('/v1/pets?name=from%20a')).text);
      const [change, ...others] = JSON.parse((await get(BigInt(pet.id))).text);
      expect(others).toEqual([]);
      expect(Object.keys(change)).toEqual(['id', 'status', 'changedAt']);
      expect(change.status).toBe('sold');
    });

    test('omits requests that changed no status or were refused', async () => {
      const id = await add('sold');
      await petstore.writer.patch(`/v1/pets/${id}`, { name: 'Tom', status: 'sold' });
      await petstore.writer.patch(`/v1/pets/${id}`, { status: 'gone' });
      await petstore.writer.post('/v1/store/orders', { petId: Number(id) });
      expect(statusesIn((await get(id)).text)).toEqual(['sold']);
    });

    test('comes in linked pages, for this animal only', async () => {
      const [id, other] = [await add(), await add()];
      const expected = ['available'];
      for (let i = 0; i < 24; i++) {
        const status = i % 2 === 0 ? 'pending' : 'sold';
        expected.push(status);
        for (const pet of [id, other]) await petstore.writer.patch(`/v1/pets/${pet}`, { status });
      }
      for (const [query, size] of [
        ['', 20],
        ['?limit=1', 1],
        ['?limit=5', 5],
        ['?limit=25', 25],
        ['?limit=100', 100],
      ] as const) {
        const pages: string[][] = [];
        for (let next: string | undefined = `/v1/pets/${id}/history${query}`; next; ) {
          const page = await petstore.reader.get(next);
          pages.push(statusesIn(page.text));
          const link = linksOf(page).get('next');
          next = link && targetOf(link);
        }
        expect(pages.flat()).toEqual(expected);
        expect(pages).toHaveLength(Math.ceil(expected.length / size));
      }
    });

    test('304 until the status changes', async () => {
      const id = await add();
      const tag = (await get(id)).headers.get('etag') ?? '';
      const again = () => petstore.reader.get(`/v1/pets/${id}/history`, { 'if-none-match': tag });
      expect((await again()).status).toBe(304);
      await petstore.writer.patch(`/v1/pets/${id}`, { status: 'sold' });
      expect((await again()).status).toBe(200);
    });
  });

  describe('400', () => {
    test.each(['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1&limit=1', 'cursor='])(
      'invalid_parameter for ?%s',
      async (query) => {
        expectError(await get(await add(), `?${query}`), 'invalid_parameter');
      },
    );

    test('invalid_cursor for a cursor of another animal or another list', async () => {
      const [id, other] = [await add(), await add()];
      for (const pet of [id, other]) {
        await petstore.writer.patch(`/v1/pets/${pet}`, { status: 'sold' });
      }
      for (const path of [`/v1/pets/${other}/history?limit=1`, '/v1/pets?limit=1']) {
        const link = linksOf(await petstore.reader.get(path)).get('next') ?? '';
        const { search } = new URL(link);
        expectError(await get(id, search), 'invalid_cursor');
      }
    });
  });

  test('401 missing_api_key without a key', async () => {
    expectError(await petstore.anonymous.get('/v1/pets/1/history'), 'missing_api_key');
  });

  test('403 insufficient_scope with a key without scopes', async () => {
    const { client } = await petstore.keyWith({ scopes: [] });
    expectError(await client.get('/v1/pets/1/history'), 'insufficient_scope');
  });

  test.each(['999999', '0', '-1', '01', 'abc', '9223372036854775808'])(
    '404 pet_not_found for %s',
    async (id) => {
      expectError(await petstore.reader.get(`/v1/pets/${id}/history`), 'pet_not_found');
    },
  );
});
