import { describe, expect, test } from 'bun:test';
import { idOf, idsOf } from '../../support/animals.ts';
import type { Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const REX = '{"name":"Rex","categoryId":7}';
const DAY_MS = 86_400_000;

describe('Idempotency-Key', () => {
  const petstore = forAllTests(() => startPetstore());

  /** Adds an animal under a key. */
  const add = (key: string, body: unknown = REX, client: Client = petstore.writer) =>
    client.post('/v1/pets', body, { 'idempotency-key': key });
  const count = () => petstore.storage.pets.count();
  const keptResults = async () => {
    const [row] = await petstore.database.sql('SELECT count(*) AS n FROM idempotent_results');
    return Number(row?.['n']);
  };
  const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');

  describe('the same key and body', () => {
    test.each([
      ['/v1/pets', REX],
      ['/v1/categories', '{"name":"Dog"}'],
      ['/v1/store/orders', '{"petId":1,"adopter":"The Alvarez family"}'],
    ])('POST %s replays the first result', async (path, body) => {
      await petstore.writer.post('/v1/pets', REX);
      const key = crypto.randomUUID();
      const first = await petstore.writer.post(path, body, { 'idempotency-key': key });
      expect([first.status, isReplay(first)]).toEqual([201, null]);
      petstore.clock.advance(1_000);
      const again = await petstore.writer.post(path, body, { 'idempotency-key': key });
      expect([again.status, isReplay(again)]).toEqual([201, 'true']);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(again.headers.get('content-type')).toBe('application/json');
      const listed = await petstore.reader.get(`${path}?limit=100`);
      expect(idsOf(listed).filter((id) => id === idOf(first))).toHaveLength(1);
      expect(idsOf(listed).at(-1)).toBe(idOf(first));
    });

    test('replays an order as it was, whatever happened to it since', async () => {
      const petId = Number(idOf(await petstore.writer.post('/v1/pets', REX)));
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const place = () => petstore.writer.post('/v1/store/orders', { petId }, headers);
      const first = await place();
      for (const status of ['approved', 'completed']) {
        await petstore.writer.patch(`/v1/store/orders/${idOf(first)}`, { status });
      }
      expect((await place()).text).toBe(first.text);
    });

    test('create one animal, however often they are sent', async () => {
      const key = crypto.randomUUID();
      const before = await count();
      const first = await add(key);
      for (let i = 0; i < 5; i++) expect((await add(key)).text).toBe(first.text);
      expect(await count()).toBe(before + 1);
    });

    test('replay the first result even if the animal has changed or is removed', async () => {
      const key = crypto.randomUUID();
      const first = await add(key);
      const path = `/v1/pets/${idOf(first)}`;
      await petstore.writer.patch(path, { name: 'Tom' });
      expect((await add(key)).text).toBe(first.text);
      await petstore.writer.delete(path);
      const again = await add(key);
      expect([again.text, isReplay(again)]).toEqual([first.text, 'true']);
      expect((await petstore.reader.get(path)).status).toBe(404);
    });

    test('count toward the limits like any request', async () => {
      const { client } = await petstore.keyWith({ perMinute: 3 });
      const key = crypto.randomUUID();
      const left = [await add(key, REX, client), await add(key, REX, client)];
      left.push(await add(key, REX, client));
      expect(left.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
        '2',
        '1',
        '0',
      ]);
      expectError(await add(key, REX, client), 'rate_limit_minute');
    });

    test('replay the first result across a restart', async () => {
      const key = crypto.randomUUID();
      const first = await add(key);
      await petstore.restart();
      const again = await add(key);
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, 'true']);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
    });
  });

  describe('422 idempotency_key_reused', () => {
    test.each([
      ['another name', '{"name":"Tom","categoryId":7}'],
      ['one byte of white space', `${REX} `],
      ['another order of members', '{"categoryId":7,"name":"Rex"}'],
      ['another spelling of a number', '{"name":"Rex","categoryId":7.0}'],
    ])('for %s', async (_, body) => {
      const key = crypto.randomUUID();
      const first = await add(key);
      const before = await count();
      const message = expectError(await add(key, body), 'idempotency_key_reused');
      expect(message).toContain('different body');
      expect(await count()).toBe(before);
      const again = await add(key);
      expect([again.text, isReplay(again)]).toEqual([first.text, 'true']);
    });
  });

  describe('belongs to', () => {
    test('the API key: another API key may use it too', async () => {
      const key = crypto.randomUUID();
      const { client } = await petstore.keyWith({});
      const first = await add(key);
      const other = await add(key, '{"name":"Tom","categoryId":7}', client);
      expect([other.status, isReplay(other)]).toEqual([201, null]);
      expect(idOf(other)).not.toBe(idOf(first));
      expect((await add(key)).text).toBe(first.text);
    });

    test('the operation: another operation may use it too', async () => {
      const key = crypto.randomUUID();
      const pet = await add(key);
      const headers = { 'idempotency-key': key };
      const category = await petstore.writer.post('/v1/categories', { name: key }, headers);
      expect([category.status, isReplay(category)]).toEqual([201, null]);
      const body = { petId: Number(idOf(pet)) };
      const order = await petstore.writer.post('/v1/store/orders', body, headers);
      expect([order.status, isReplay(order)]).toEqual([201, null]);
    });
  });

  describe('results other than 2xx are not stored', () => {
    test('400: the body may be fixed and sent again', async () => {
      const key = crypto.randomUUID();
      const before = await keptResults();
      expectError(await add(key, '{"name":"","categoryId":7}'), 'invalid_body');
      expectError(await add(key, '{'), 'invalid_json');
      expect(await keptResults()).toBe(before);
      const fixed = await add(key);
      expect([fixed.status, isReplay(fixed)]).toEqual([201, null]);
      expect(await keptResults()).toBe(before + 1);
    });

    test('409: the same request succeeds once the conflict is gone', async () => {
      const petId = Number(idOf(await petstore.writer.post('/v1/pets', REX)));
      const held = idOf(await petstore.writer.post('/v1/store/orders', { petId }));
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const target = () => petstore.writer.post('/v1/store/orders', { petId }, headers);
      expectError(await target(), 'conflict');
      expectError(await target(), 'conflict');
      await petstore.writer.patch(`/v1/store/orders/${held}`, { status: 'cancelled' });
      const placed = await target();
      expect([placed.status, isReplay(placed)]).toEqual([201, null]);
      expect((await target()).text).toBe(placed.text);
    });

    test('403, 404 and 415', async () => {
      const key = crypto.randomUUID();
      const headers = { 'idempotency-key': key };
      expectError(await add(key, REX, petstore.reader), 'insufficient_scope');
      const order = await petstore.writer.post('/v1/store/orders', '{"petId":999999}', headers);
      expectError(order, 'pet_not_found');
      const text = { ...headers, 'content-type': 'text/plain' };
      const refused = await petstore.writer.post('/v1/pets', REX, text);
      expectError(refused, 'unsupported_media_type');
      expect(isReplay(await add(key))).toBeNull();
    });
  });

  describe('a result is stored for 24 hours', () => {
    test('and not a millisecond longer', async () => {
      const key = crypto.randomUUID();
      const first = await add(key);
      petstore.clock.advance(DAY_MS - 1);
      expect(isReplay(await add(key))).toBe('true');
      petstore.clock.advance(1);
      const later = await add(key);
      expect([later.status, isReplay(later)]).toEqual([201, null]);
      expect(idOf(later)).toBeGreaterThan(idOf(first));
      petstore.clock.advance(DAY_MS - 1);
      expect((await add(key)).text).toBe(later.text);
    });

    test('then the key may come with any body', async () => {
      const key = crypto.randomUUID();
      await add(key);
      petstore.clock.advance(DAY_MS);
      const before = await keptResults();
      expect((await add(key, '{"name":"Tom","categoryId":7}')).status).toBe(201);
      expect(await keptResults()).toBe(before);
    });

    test('then the server removes it, within a minute', async () => {
      petstore.clock.advance(DAY_MS);
      const young = crypto.randomUUID();
      await add(young);
      await eventually(keptResults, (count) => count === 1);
      expect(isReplay(await add(young))).toBe('true');
    });
  });

  test('is ignored on GET, PATCH and DELETE, well-formed or not', async () => {
    const path = `/v1/pets/${idOf(await add(crypto.randomUUID()))}`;
    const before = await keptResults();
    for (const key of ['one', '"open']) {
      const headers = { 'idempotency-key': key };
      expect((await petstore.writer.get(path, headers)).status).toBe(200);
      const renamed = await petstore.writer.patch(path, { name: `Tom ${key}` }, headers);
      expect([renamed.status, isReplay(renamed)]).toEqual([200, null]);
      expect(renamed.text).toContain('Tom');
    }
    const headers = { 'idempotency-key': 'one' };
    expect((await petstore.writer.delete(path, headers)).status).toBe(204);
    expect((await petstore.writer.delete(path, headers)).status).toBe(404);
    expect(await keptResults()).toBe(before);
  });
});
