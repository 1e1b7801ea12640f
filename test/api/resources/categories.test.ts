import { describe, expect, test } from 'bun:test';
import { idsOf, linksOf, namesOf, targetOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forEachTest(() => startPetstore());

const create = (name: unknown) => petstore.writer.post('/v1/categories', { name });
const list = (query = '') => petstore.reader.get(`/v1/categories${query}`);

describe('GET /v1/categories (listCategories)', () => {
  test('200 gives a bare array, ascending by id', async () => {
    expect((await list()).text).toBe('[]');
    for (const name of ['Dog', 'Cat', 'Ara']) await create(name);
    const response = await list();
    expect(response.status).toBe(200);
    expect(response.text).toBe(
      '[{"id":1,"name":"Dog"},{"id":2,"name":"Cat"},{"id":3,"name":"Ara"}]',
    );
    expect(response.headers.get('link')).toBe(`<${petstore.baseUrl}/categories>; rel="first"`);
  });

  test('200 for some ids, or a name in any case', async () => {
    for (const name of ['Dog', 'Cat', 'Straße']) await create(name);
    expect(idsOf(await list('?id=3,1,9'))).toEqual([1n, 3n]);
    expect(idsOf(await list('?id=3&id=2'))).toEqual([2n, 3n]);
    expect(namesOf(await list('?name=STRASSE'))).toEqual(['Straße']);
    expect(namesOf(await list('?name=stra'))).toEqual([]);
    const first = await list('?id=1,2,3&limit=2');
    const second = await petstore.reader.get(targetOf(linksOf(first).get('next')));
    expect([first, second].map(idsOf)).toEqual([[1n, 2n], [3n]]);
    // What was kept is dropped when a category gets the name.
    expect(idsOf(await list('?name=hen'))).toEqual([]);
    await create('Hen');
    expect(idsOf(await list('?name=hen'))).toEqual([4n]);
    expectError(await list('?id=x'), 'invalid_parameter');
  });

  test('200 in pages', async () => {
    const names = Array.from({ length: 23 }, (_, i) => `Category ${i}`);
    for (const name of names) await create(name);
    expect(namesOf(await list())).toEqual(names.slice(0, 20));
    const first = await list('?limit=10');
    const second = await petstore.reader.get(targetOf(linksOf(first).get('next')));
    const third = await petstore.reader.get(targetOf(linksOf(second).get('next')));
    expect([first, second, third].flatMap(namesOf)).toEqual(names);
    expect(linksOf(third).has('next')).toBe(false);
    expect(linksOf(third).get('first')).toBe(`${petstore.baseUrl}/categories?limit=10`);
    expect(idsOf(await list('?limit=100'))).toHaveLength(23);
  });

  test('304 until a category is added, changed or removed', async () => {
    await create('Dog');
    let tag = (await list()).headers.get('etag') ?? '';
    const changes = [
      () => create('Cat'),
      () => petstore.writer.patch('/v1/categories/2', { name: 'CAT' }),
      () => petstore.writer.delete('/v1/categories/1'),
    ];
    for (const change of changes) {
      const conditional = () => petstore.reader.get('/v1/categories', { 'if-none-match': tag });
      expect((await conditional()).status).toBe(304);
      await change();
      const changed = await conditional();
      expect(changed.status).toBe(200);
      tag = changed.headers.get('etag') ?? '';
    }
  });
});

describe('POST /v1/categories (createCategory)', () => {
  test('201 returns the category and its location', async () => {
    const response = await create('Dog');
    expect(response.status).toBe(201);
    expect(response.text).toBe('{"id":1,"name":"Dog"}');
    expect(response.headers.get('location')).toBe(`${petstore.baseUrl}/categories/1`);
    expect((await petstore.reader.get('/v1/categories/1')).text).toBe(response.text);
  });

  test.each(['😺'.repeat(100), ' Dog ', '\u00e9', 'e\u0301', `"'\\/<b>`, 'null'])(
    '201 keeps the name %p exactly as sent',
    async (name) => {
      expect((await create(name)).text).toBe(`{"id":1,"name":${JSON.stringify(name)}}`);
    },
  );

  test.each([
    ['Dog', 'dog'],
    ['Straße', 'STRASSE'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'Straße'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['Σ', 'ς'],
    ['ПЁС', 'пёс'],
    ['ﬁsh', 'FISH'],
  ])('409 conflict: with %s there, %s is taken', async (first, second) => {
    await create(first);
    expect(expectError(await create(second), 'conflict')).toBe(
      'Category 1 already has that name; names must differ in more than case.',
    );
    expect(namesOf(await list())).toEqual([first]);
  });

  test('names that differ in more than case are free', async () => {
    for (const name of ['Dog', 'Dogs', 'Dog ', 'D\u00f6g', 'Do\u0308g']) {
      expect((await create(name)).status).toBe(201);
    }
  });
});

describe('GET /v1/categories/{categoryId} (getCategory)', () => {
  test('200 gives the category', async () => {
    await create('Dog');
    const response = await petstore.reader.get('/v1/categories/1');
    expect([response.status, response.text]).toEqual([200, '{"id":1,"name":"Dog"}']);
    expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/);
    expect(response.headers.get('deprecation')).toBeNull();
  });
});
