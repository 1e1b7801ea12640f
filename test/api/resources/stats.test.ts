import { describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { idOf } from '../../support/animals.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forEachTest(() => startPetstore());

const facts = ({ text }: ClientResponse) => JSON.parse(text);
const stats = async () => facts(await petstore.reader.get('/v1/stats'));

describe('GET /v1/stats (getStats)', () => {
  test('200: shows an empty shop with 52 weeks of zeros', async () => {
    petstore.clock.set(Date.UTC(2026, 10, 22));
    const { pets, categories, adoptions } = await stats();
    expect(pets).toEqual({ available: 0, pending: 0, sold: 0 });
    expect(categories).toEqual([]);
    expect(adoptions).toHaveLength(52);
    expect(adoptions[0]).toEqual({ week: '2025-W48', completed: 0 });
    expect(adoptions[51]).toEqual({ week: '2026-W47', completed: 0 });
  });

  test('200: shows each change at once', async () => {
    const { writer } = petstore;
    const dogs = idOf(await writer.post('/v1/categories', { name: 'Dogs' }));
    const cats = idOf(await writer.post('/v1/categories', { name: 'Cats' }));
    const rex = idOf(await writer.post('/v1/pets', { name: 'Rex', categoryId: Number(dogs) }));
    await writer.post('/v1/pets', { name: 'Tom', categoryId: 77 });
    expect(await stats()).toMatchObject({
      pets: { available: 2, pending: 0, sold: 0 },
      categories: [
        { id: Number(dogs), name: 'Dogs', pets: 1 },
        { id: Number(cats), name: 'Cats', pets: 0 },
      ],
    });
    const order = idOf(await writer.post('/v1/store/orders', { petId: Number(rex) }));
    expect((await stats()).pets).toEqual({ available: 1, pending: 1, sold: 0 });
    for (const status of ['approved', 'completed']) {
      await writer.patch(`/v1/store/orders/${order}`, { status });
    }
    const done = await stats();
    expect(done.pets).toEqual({ available: 1, pending: 0, sold: 1 });
    expect(done.adoptions.at(-1)).toEqual({ week: '2027-W02', completed: 1 });
    await writer.delete(`/v1/pets/${rex}`);
    await writer.patch(`/v1/categories/${cats}`, { name: 'All cats' });
    expect(await stats()).toMatchObject({
      pets: { available: 1, pending: 0, sold: 0 },
      categories: [{ name: 'Dogs', pets: 0 }, { name: 'All cats' }],
    });
  });

  test('200: moves on with the weeks', async () => {
    const { writer } = petstore;
    const pet = idOf(await writer.post('/v1/pets', { name: 'Rex', categoryId: 1 }));
    const order = idOf(await writer.post('/v1/store/orders', { petId: Number(pet) }));
    for (const status of ['approved', 'completed']) {
      await writer.patch(`/v1/store/orders/${order}`, { status });
    }
    petstore.clock.advance(51 * 7 * DAY_MS);
    expect((await stats()).adoptions[0]).toEqual({ week: '2027-W02', completed: 1 });
    petstore.clock.advance(7 * DAY_MS);
    expect((await stats()).adoptions[0]).toEqual({ week: '2027-W03', completed: 0 });
  });

  test('200: lists the 100 categories with the most animals', async () => {
    await petstore.storage.pets.importBatch(
      Array.from({ length: 101 }, (_, n) => ({
        name: 'Rex',
        category: { name: `Category ${n}` },
        status: 'available' as const,
        externalId: undefined,
      })),
      { at: petstore.clock.now(), keyId: null },
    );
    await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 101 });
    const { categories } = await stats();
    expect(categories).toHaveLength(100);
    expect(categories[0]).toMatchObject({ id: 101, pets: 2 });
    expect(categories[99]).toMatchObject({ id: 99, pets: 1 });
  });

  test('200, 304: has a tag that changes with the figures, and HEAD has the same', async () => {
    const first = await petstore.reader.get('/v1/stats');
    const tag = first.headers.get('etag') ?? '';
    expect((await petstore.reader.head('/v1/stats')).headers.get('etag')).toBe(tag);
    const same = await petstore.reader.get('/v1/stats', { 'if-none-match': tag });
    expect(same.status).toBe(304);
    await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const changed = await petstore.reader.get('/v1/stats', { 'if-none-match': tag });
    expect(changed.status).toBe(200);
  });

  test('400, 401, 403: refuses a bad target, a stranger and a key without scopes', async () => {
    expectError(await petstore.reader.get('/v1/stats?x=%FF'), 'invalid_request');
    expectError(await petstore.anonymous.get('/v1/stats'), 'missing_api_key');
    const { client } = await petstore.keyWith({ scopes: [] });
    expectError(await client.get('/v1/stats'), 'insufficient_scope');
  });

  test('429, 500, 503: fails as every operation does', async () => {
    const { client } = await petstore.keyWith({ perMinute: 1, scopes: ['read'] });
    await client.get('/v1/stats');
    expectError(await client.get('/v1/stats'), 'rate_limit_minute');
    await petstore.database.sql('ALTER TABLE orders RENAME TO elsewhere');
    expectError(await petstore.reader.get('/v1/stats'), 'internal_error');
    await petstore.database.destroy();
    expectError(await petstore.reader.get('/v1/stats'), 'service_unavailable');
  });
});
