import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const DAY_MS = 86_400_000;

describe('GET /v1/store/orders with q, from and to', () => {
  let start: number;

  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    start = petstore.clock.now();
    await addAnimals(petstore.storage, [{ name: 'Zoë' }, { name: 'Rex' }, { name: 'Łucja' }]);
    const orders = [
      { petId: 1, adopter: 'Ana Álvarez', contact: 'ana@example.com' },
      { petId: 2, adopter: 'Ben Groß', contact: '+49 170 1234567' },
      { petId: 3, contact: 'ANA@example.com', note: 'Zoë' },
    ];
    for (const order of orders) {
      await petstore.writer.post('/v1/store/orders', order);
      petstore.clock.advance(DAY_MS);
    }
  });

  const day = (days: number) => new Date(start + days * DAY_MS).toISOString();
  const found = async (query: Record<string, string>, client = petstore.writer) =>
    idsOf(await client.get(`/v1/store/orders?${new URLSearchParams(query)}`)).map(Number);

  test.each([
    ['zoe', [1]],
    ['ZOË alvarez', [1]],
    ['lucja', [3]],
    ['ana@example', [1, 3]],
    ['gross', [2]],
    ['170 1234567', [2]],
    ['%', []],
    ['rex nobody', []],
    ['\u0000', []],
    [' ', [1, 2, 3]],
  ])('%p is found in adopter, contact and the name of the animal', async (q, expected) => {
    expect(await found({ q })).toEqual(expected);
    expect(await found({ q, sort: 'newest' })).toEqual(expected.toReversed());
  });

  test('adopter and contact are found only by those who may see them', async () => {
    const { reader } = petstore;
    expect(await found({ q: 'ana' }, reader)).toEqual([]);
    expect(await found({ q: 'example.com' }, reader)).toEqual([]);
    expect(await found({ q: 'zoe' }, reader)).toEqual([1]);
  });

  test('a time has its start and not its end, and joins the other filters', async () => {
    expect(await found({ from: day(1) })).toEqual([2, 3]);
    expect(await found({ to: day(1) })).toEqual([1]);
    expect(await found({ from: day(1), to: day(2) })).toEqual([2]);
    expect(await found({ from: day(1), q: 'ana' })).toEqual([3]);
    expect(await found({ from: day(0), status: 'approved' })).toEqual([]);
    expect(await found({ from: day(0), petId: '2' })).toEqual([2]);
    expect(await found({ from: '1970-01-01T00:00:00Z' })).toEqual([1, 2, 3]);
  });

  test('links keep search and time', async () => {
    const query = new URLSearchParams({ q: 'ana', from: day(0), limit: '1' });
    const first = await petstore.writer.get(`/v1/store/orders?${query}`);
    const second = await petstore.writer.get(targetOf(linksOf(first).get('next') ?? ''));
    expect([...idsOf(first), ...idsOf(second)].map(Number)).toEqual([1, 3]);
    expect(linksOf(second).has('next')).toBeFalse();
  });

  test('a time that ends before it starts, or is none, is refused', async () => {
    for (const query of [`from=${day(1)}&to=${day(1)}`, 'from=yesterday', `q=${'a'.repeat(201)}`]) {
      const response = await petstore.writer.get(`/v1/store/orders?${query}`);
      expectError(response, 'invalid_parameter');
    }
  });

  test('an animal that was removed is no longer found by its name', async () => {
    await petstore.writer.patch('/v1/store/orders/3', { status: 'cancelled' });
    await petstore.writer.delete('/v1/pets/3');
    expect(await found({ q: 'lucja' })).toEqual([]);
    expect(await found({ q: 'ANA@' })).toEqual([1, 3]);
  });
});
