import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const COUNT = 24;

/** Orders 1 to 24, each for the animal with its number; the first animal has one more order. */
describe('GET /v1/store/orders (listOrders)', () => {
  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    await addAnimals(petstore.storage, Array(COUNT).fill({}));
    for (let petId = 1; petId <= COUNT; petId++) {
      await petstore.writer.post('/v1/store/orders', { petId, adopter: `A${petId}` });
      const path = `/v1/store/orders/${petId}`;
      if (petId % 2 === 0) await petstore.writer.patch(path, { status: 'approved' });
      if (petId % 4 === 0) await petstore.writer.patch(path, { status: 'completed' });
    }
    await petstore.writer.patch('/v1/store/orders/1', { status: 'cancelled' });
    await petstore.writer.post('/v1/store/orders', { petId: 1 });
  });

  const list = (query = '') => petstore.writer.get(`/v1/store/orders${query}`);
  const numbers = (response: ClientResponse) => idsOf(response).map(Number);
  const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

  /** Follows the links to the last page. */
  async function walk(query: string): Promise<ClientResponse[]> {
    const pages = [await list(query)];
    for (let last = pages[0]; last !== undefined; last = pages.at(-1)) {
      const link = linksOf(last).get('next');
      if (link === undefined) break;
      pages.push(await petstore.writer.get(targetOf(link)));
    }
    return pages;
  }

  describe('200', () => {
    test('returns whole orders, ascending by id, 20 by default', async () => {
      const response = await list();
      expect(response.status).toBe(200);
      expect(numbers(response)).toEqual(upTo(20));
      const time = new Date(petstore.clock.now()).toISOString();
      expect(response.text).toStartWith(
        `[{"id":1,"petId":1,"adopter":"A1","status":"cancelled",` +
          `"placedAt":"${time}","cancelledAt":"${time}","updatedAt":"${time}"},{"id":2,`,
      );
      for (const order of JSON.parse(response.text)) {
        expect(
          JSON.parse((await petstore.writer.get(`/v1/store/orders/${order.id}`)).text),
        ).toEqual(order);
      }
    });

    test.each([
      ['placed', [...upTo(24).filter((i) => i % 2 === 1 && i > 1), 25]],
      ['approved', upTo(24).filter((i) => i % 4 === 2)],
      ['completed', upTo(24).filter((i) => i % 4 === 0)],
      ['cancelled', [1]],
    ])('with status=%s has only these', async (status, expected) => {
      expect(numbers(await list(`?status=${status}&limit=100`))).toEqual(expected);
      expect((await walk(`?status=${status}&limit=2`)).flatMap(numbers)).toEqual(expected);
    });

    test('with petId has the orders of that animal', async () => {
      expect(numbers(await list('?petId=1'))).toEqual([1, 25]);
      expect(numbers(await list('?petId=1&status=placed'))).toEqual([25]);
      expect(numbers(await list('?petId=2&status=placed'))).toEqual([]);
      expect(numbers(await list('?petId=999'))).toEqual([]);
    });

    test.each([1, 7, 25, 100])('with sort=newest descends, in pages of %d', async (limit) => {
      const pages = await walk(`?sort=newest&limit=${limit}`);
      expect(pages.flatMap(numbers)).toEqual(upTo(25).toReversed());
      expect(pages).toHaveLength(Math.ceil(25 / limit));
      const open = await walk(`?status=approved&sort=newest&limit=${limit}`);
      expect(open.flatMap(numbers)).toEqual([22, 18, 14, 10, 6, 2]);
    });
  });

  describe('400', () => {
    test.each([
      'limit=0',
      'limit=101',
      'limit=',
      'status=',
      'status=open',
      'status=PLACED',
      'petId=',
      'petId=abc',
      'petId=01',
      'petId=1.0',
      'petId=9223372036854775808',
      'petId=1&petId=1',
      'sort=',
      'sort=id',
      'sort=newest&sort=newest',
      'cursor=',
    ])('invalid_parameter for ?%s', async (query) => {
      const message = expectError(await list(`?${query}`), 'invalid_parameter');
      expect(message).toStartWith(`${query.split('=')[0]} must `);
    });

    test('invalid_parameter names every problem', async () => {
      const message = expectError(await list('?limit=0&status=x&petId=y'), 'invalid_parameter');
      for (const name of ['limit', 'status', 'petId']) expect(message).toContain(`${name} must`);
    });
  });
});
