import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const COUNT = 45;

const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  const animals = Array.from({ length: COUNT }, (_, i) => ({
    name: `Animal ${i + 1}`,
    categoryId: BigInt(i % 3),
    status: i % 2 === 0 ? ('available' as const) : ('sold' as const),
  }));
  await addAnimals(petstore.storage, animals);
});

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => BigInt(first + i));

/** Follows the links from a page to the last one; returns all pages. */
async function walk(path: string): Promise<ClientResponse[]> {
  const pages: ClientResponse[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await petstore.reader.get(next);
    expect(page.status).toBe(200);
    pages.push(page);
    const link = linksOf(page).get('next');
    next = link && targetOf(link);
  }
  return pages;
}

describe('pages', () => {
  test('have 20 animals unless a limit says otherwise', async () => {
    const pages = await walk('/v1/pets');
    expect(pages.map(idsOf)).toEqual([from(1, 20), from(21, 40), from(41, 45)]);
  });

  test.each([1, 7, 9, 15, 44, 45, 46, 100])('of %d: each animal once, in order', async (limit) => {
    const pages = await walk(`/v1/pets?limit=${limit}`);
    expect(pages.flatMap(idsOf)).toEqual(from(1, COUNT));
    expect(pages).toHaveLength(Math.ceil(COUNT / limit));
    for (const page of pages.slice(0, -1)) expect(idsOf(page)).toHaveLength(limit);
  });

  test('a last page that is full has no link to a next one', async () => {
    const [first, second, third, ...rest] = await walk('/v1/pets?limit=15');
    expect(rest).toEqual([]);
    for (const page of [first, second]) expect(page && linksOf(page).has('next')).toBe(true);
    expect(third?.headers.get('link')).toBe(`<${petstore.baseUrl}/pets?limit=15>; rel="first"`);
  });

  test('an empty list is an empty array with a link to itself', async () => {
    const page = await petstore.reader.get('/v1/pets?status=pending');
    expect([page.status, page.text]).toEqual([200, '[]']);
    expect(page.headers.get('link')).toBe(`<${petstore.baseUrl}/pets?status=pending>; rel="first"`);
  });

  test('links are absolute, keep every filter and the limit, and nothing else', async () => {
    const query = 'name=a%20n%26m&limit=2&id=3,1,2&x=y&categoryId=-5&status=sold';
    const page = await petstore.reader.get(`/v1/pets?${query}`);
    const filters = 'status=sold&categoryId=-5&id=3%2C1%2C2&name=a%20n%26m&limit=2';
    expect(linksOf(page).get('first')).toBe(`${petstore.baseUrl}/pets?${filters}`);

    const found = await petstore.reader.get('/v1/pets?name=NIMAL%201&status=sold&limit=2');
    const next = linksOf(found).get('next') ?? '';
    expect(next).toStartWith(`${petstore.baseUrl}/pets?status=sold&name=NIMAL%201&limit=2&cursor=`);
    expect(linksOf(found).get('first')).not.toContain('cursor');
  });

  test('every page links to the first page', async () => {
    const pages = await walk('/v1/pets?limit=10&status=sold');
    for (const page of pages) {
      const first = await petstore.reader.get(targetOf(linksOf(page).get('first')));
      expect(first.text).toBe(pages[0]?.text ?? '');
    }
  });
});

describe('a cursor', () => {
  const cursorOf = async (path: string) => {
    const page = await petstore.reader.get(path);
    return new URL(linksOf(page).get('next') ?? '').searchParams.get('cursor') ?? '';
  };

  test('allows another limit', async () => {
    const cursor = await cursorOf('/v1/pets?limit=5&status=sold');
    for (const limit of ['', '&limit=1', '&limit=100']) {
      const page = await petstore.reader.get(`/v1/pets?status=sold&cursor=${cursor}${limit}`);
      expect(page.status).toBe(200);
      expect(idsOf(page)[0]).toBe(12n);
    }
  });

  test('allows the filters in another order and spelling', async () => {
    const cursor = await cursorOf('/v1/pets?limit=5&status=sold&name=animal');
    const page = await petstore.reader.get(`/v1/pets?cursor=${cursor}&na%6De=%61nimal&status=sold`);
    expect(page.status).toBe(200);
  });

  test.each([
    '',
    'status=available',
    'status=sold&categoryId=1',
    'status=sold&name=a',
    'status=sold&id=1,2',
    'categoryId=1',
  ])('is refused with other filters: ?%s', async (filters) => {
    const cursor = await cursorOf('/v1/pets?limit=5&status=sold');
    const response = await petstore.reader.get(`/v1/pets?${filters}&cursor=${cursor}`);
    expectError(response, 'invalid_cursor');
  });

  test('works after a restart', async () => {
    const cursor = await cursorOf('/v1/pets?limit=5');
    await petstore.restart();
    expect(idsOf(await petstore.reader.get(`/v1/pets?cursor=${cursor}&limit=2`))).toEqual([6n, 7n]);
  });

  test('works when the animal it follows is removed', async () => {
    await addAnimals(petstore.storage, [{ name: 'X1' }, { name: 'X2' }, { name: 'X3' }]);
    const cursor = await cursorOf('/v1/pets?name=X&limit=2');
    const ids = idsOf(await petstore.reader.get('/v1/pets?name=X'));
    const remove = (id: bigint | undefined) =>
      petstore.storage.pets.remove(id ?? 0n, CHANGE_STAMP, () => {});
    expect(await remove(ids[1])).toBe(true);
    const page = await petstore.reader.get(`/v1/pets?name=X&cursor=${cursor}`);
    expect(page.text).toContain('"X3"');
    expect(idsOf(page)).toHaveLength(1);
    for (const id of ids) await remove(id);
  });
});
