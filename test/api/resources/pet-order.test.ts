import { beforeEach, describe, expect, test } from 'bun:test';
import { addAnimals, idsOf, linksOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

describe('GET /v1/pets (listPets)', () => {
  const petstore = forEachTest(() => startPetstore());
  beforeEach(async () => {
    await addAnimals(petstore.storage, [
      { name: 'Rex', categoryId: 7n, status: 'available' },
      { name: 'Mia', categoryId: 8n, status: 'pending' },
      { name: 'Tom', categoryId: 7n, status: 'sold' },
      { name: 'Zoë', categoryId: 7n, status: 'available' },
    ]);
  });

  const list = (query: string) => petstore.reader.get(`/v1/pets?${query}`);
  const total = async (query: string) =>
    (await list(`total=true&${query}`)).headers.get('x-total-count');

  test('sort=newest lists the newest first, in pages that follow each other', async () => {
    expect(idsOf(await list('sort=newest'))).toEqual([4n, 3n, 2n, 1n]);
    expect(idsOf(await list('sort=id'))).toEqual([1n, 2n, 3n, 4n]);
    expect(idsOf(await list('sort=newest&categoryId=7&limit=2'))).toEqual([4n, 3n]);
    const first = await list('sort=newest&limit=3');
    // An addition neither moves nor repeats what the next page has.
    await petstore.writer.post('/v1/pets', { name: 'Nala', categoryId: 8 });
    const next = new URL(linksOf(first).get('next') ?? '');
    expect(next.searchParams.get('sort')).toBe('newest');
    const second = await petstore.reader.get(next.pathname + next.search);
    expect([first, second].map(idsOf)).toEqual([[4n, 3n, 2n], [1n]]);
    expect(linksOf(second).has('next')).toBe(false);
  });

  test('a cursor belongs to its order', async () => {
    const next = new URL(linksOf(await list('sort=newest&limit=1')).get('next') ?? '');
    const cursor = next.searchParams.get('cursor');
    expectError(await list(`limit=1&cursor=${cursor}`), 'invalid_cursor');
  });

  test('sort=newest is current after each change, and again from the cache', async () => {
    const ids = async (query = 'sort=newest&limit=2') => idsOf(await list(query));
    expect(await ids()).toEqual([4n, 3n]);
    await petstore.writer.post('/v1/pets', { name: 'Nala', categoryId: 8 });
    expect(await ids()).toEqual([5n, 4n]);
    await petstore.writer.delete('/v1/pets/4');
    expect(await ids()).toEqual([5n, 3n]);
    expect(await ids('sort=newest&status=sold')).toEqual([3n]);
    await petstore.writer.patch('/v1/pets/1', { status: 'sold' });
    expect(await ids('sort=newest&status=sold')).toEqual([3n, 1n]);
    await petstore.writer.patch('/v1/pets/3', { status: 'available' });
    expect(await ids('sort=newest&status=sold')).toEqual([1n]);
  });

  test('total=true counts what passes the filters, and is current', async () => {
    expect(await total('')).toBe('4');
    expect(await total('limit=1')).toBe('4');
    expect(await total('status=available')).toBe('2');
    expect(await total('categoryId=7')).toBe('3');
    expect(await total('categoryId=7&status=sold')).toBe('1');
    await petstore.writer.patch('/v1/pets/3', { categoryId: 8 });
    await petstore.writer.delete('/v1/pets/1');
    expect(await total('limit=1')).toBe('3');
    expect(await total('categoryId=7')).toBe('1');
    expect(await total('categoryId=9')).toBe('0');
  });

  test('the total is absent unless it is asked for, and where it would take long', async () => {
    expect((await list('total=false')).headers.has('x-total-count')).toBe(false);
    expect(await total('name=e')).toBeNull();
    expect(await total('id=1')).toBeNull();
  });

  test('400 invalid_parameter for other values, and for newest with a name', async () => {
    for (const query of ['sort=name', 'sort=', 'sort=id&sort=id', 'sort=newest&name=e']) {
      expect(expectError(await list(query), 'invalid_parameter')).toStartWith('sort ');
    }
    expect(expectError(await list('total=yes'), 'invalid_parameter')).toStartWith('total ');
  });
});
