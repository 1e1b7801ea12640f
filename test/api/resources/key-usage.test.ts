import { describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import type { UsageCounts } from '../../../src/domain/usage.ts';
import type { Client, ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore, type TestKey } from '../../support/start.ts';

const petstore = forEachTest(() => startPetstore());

const NONE = { requests: 0, refused: 0, errors: 0 };
const facts = ({ text }: ClientResponse) => JSON.parse(text);
const textOf = (time: number) => new Date(time).toISOString();
const startOf = (step: number) => Math.floor(petstore.clock.now() / step) * step;

function usageOf({ id }: Pick<TestKey, 'id'>, query = ''): Promise<ClientResponse> {
  return petstore.admin.get(`/v1/keys/${id}/usage${query}`);
}

/** What a key sent in the current hour. */
async function thisHour(key: Pick<TestKey, 'id'>): Promise<UsageCounts> {
  return facts(await usageOf(key)).at(-1);
}

async function send(client: Client, times: number, path = '/v1/pets'): Promise<void> {
  for (let i = 0; i < times; i++) await client.get(path);
}

/** Makes requests for animals fail until it is disposed of. */
async function breakPets(): Promise<AsyncDisposable> {
  await petstore.database.sql('ALTER TABLE pets RENAME TO elsewhere');
  return {
    async [Symbol.asyncDispose]() {
      await petstore.database.sql('ALTER TABLE elsewhere RENAME TO pets');
    },
  };
}

describe('GET /v1/keys/{keyId}/usage (getKeyUsage)', () => {
  test('200: counts requests, refusals and errors at once, each once', async () => {
    const key = await petstore.keyWith({ perMinute: 8 });
    await send(key.client, 3);
    await send(key.client, 2, '/v1/pets/999');
    await send(key.client, 1, '/v1/nothing');
    expect(await thisHour(key)).toMatchObject({ requests: 6, refused: 0, errors: 0 });
    {
      await using _ = await breakPets();
      await send(key.client, 2, '/v1/pets/7');
    }
    await send(key.client, 5);
    expect(await thisHour(key)).toMatchObject({ requests: 8, refused: 5, errors: 2 });
    await petstore.restart();
    expect(await thisHour(key)).toMatchObject({ requests: 8, refused: 5, errors: 2 });
  });

  test('200: counts no unmetered request', async () => {
    const key = await petstore.keyWith({ perMinute: 1 });
    await send(key.client, 2);
    await send(key.client, 9, '/v1/usage');
    expect(await thisHour(key)).toMatchObject({ requests: 1, refused: 1, errors: 0 });
  });

  test('200: shows the last 24 hours, with zeros where nothing was sent', async () => {
    const key = await petstore.keyWith({});
    await send(key.client, 1);
    petstore.clock.advance(2 * HOUR_MS);
    await send(key.client, 2);
    const hour = startOf(HOUR_MS);
    const expected = Array.from({ length: 25 }, (_, n) => ({
      start: textOf(hour - (24 - n) * HOUR_MS),
      ...NONE,
      requests: n === 24 ? 2 : n === 22 ? 1 : 0,
    }));
    expect(facts(await usageOf(key))).toEqual(expected);
  });

  test('200: shows days, in a range of any offset', async () => {
    const key = await petstore.keyWith({});
    await send(key.client, 1);
    petstore.clock.advance(DAY_MS);
    await send(key.client, 2);
    const today = startOf(DAY_MS);
    const days = facts(await usageOf(key, '?per=day'));
    expect(days).toHaveLength(31);
    expect(days.slice(-2)).toEqual([
      { start: textOf(today - DAY_MS), ...NONE, requests: 1 },
      { start: textOf(today), ...NONE, requests: 2 },
    ]);
    const from = textOf(today + HOUR_MS).replace('Z', encodeURIComponent('+02:00'));
    const until = `?per=day&from=${from}&to=${textOf(today)}`;
    expect(facts(await usageOf(key, until))).toEqual(days.slice(-2, -1));
  });

  test('200: a clock that is set back counts in the earlier hour', async () => {
    const key = await petstore.keyWith({});
    await send(key.client, 1);
    petstore.clock.advance(-HOUR_MS);
    await send(key.client, 2);
    petstore.clock.advance(HOUR_MS);
    await send(key.client, 3);
    const hours = facts(await usageOf(key)).slice(-2);
    expect(hours).toMatchObject([{ requests: 2 }, { requests: 4 }]);
  });

  test('200: shows all that is kept, also a year ago', async () => {
    const key = await petstore.keyWith({});
    await send(key.client, 1);
    const first = startOf(DAY_MS);
    petstore.clock.advance(400 * DAY_MS);
    const days = facts(
      await usageOf(key, `?per=day&from=${textOf(petstore.clock.now() - 400 * DAY_MS)}`),
    );
    expect(days).toHaveLength(401);
    expect(days[0]).toEqual({ start: textOf(first), ...NONE, requests: 1 });
  });

  test('200: a successor is counted by itself, and a revoked key keeps its counts', async () => {
    const { admin } = petstore;
    const old = await petstore.keyWith({});
    await send(old.client, 2);
    const successor = facts(await admin.post(`/v1/keys/${old.id}/rotate`, {}));
    const headers = { authorization: `Bearer ${successor.key}` };
    for (let i = 0; i < 3; i++) await petstore.anonymous.get('/v1/pets', headers);
    await admin.delete(`/v1/keys/${old.id}`);
    expect(await thisHour(old)).toMatchObject({ requests: 2 });
    expect(await thisHour(successor)).toMatchObject({ requests: 3 });
  });

  test('200: is read again for each request, and HEAD has the same headers', async () => {
    const key = await petstore.keyWith({});
    const first = await usageOf(key);
    const tag = first.headers.get('etag') ?? '';
    const target = `/v1/keys/${key.id}/usage`;
    expect((await petstore.admin.head(target)).headers.get('etag')).toBe(tag);
    expect((await petstore.admin.get(target, { 'if-none-match': tag })).status).toBe(304);
    await send(key.client, 1);
    const second = await petstore.admin.get(target, { 'if-none-match': tag });
    expect(second.status).toBe(200);
  });

  test.each([
    ['per=week', 'per must be one of hour, day.'],
    ['from=yesterday', 'from must be a time like 2027-01-31T12:00:00Z.'],
    ['to=2027-01-15', 'to must be a time like 2027-01-31T12:00:00Z.'],
    ['from=2027-01-15T12:00:00Z&to=2027-01-15T12:00:00Z', 'from must be before to.'],
    [
      'from=2027-01-10T00:00:00Z&to=2027-01-17T00:00:01Z',
      'from must be close enough to to: at most 7 days with per=hour, 400 days with per=day.',
    ],
    [
      'per=day&from=2025-01-01T00:00:00Z&to=2025-01-02T00:00:00Z',
      'from must not be too long ago: at most 7 days with per=hour, 400 days with per=day.',
    ],
    [
      'from=2027-01-07T12:00:00Z&to=2027-01-10T00:00:00Z',
      'from must not be too long ago: at most 7 days with per=hour, 400 days with per=day.',
    ],
  ])('400: %s', async (query, message) => {
    const response = await usageOf({ id: 1n }, `?${query}`);
    expect(expectError(response, 'invalid_parameter')).toBe(message);
  });

  test('401, 403, 404: needs a key with `admin`, and the id of a key', async () => {
    const target = '/v1/keys/1/usage';
    expectError(await petstore.anonymous.get(target), 'missing_api_key');
    expectError(await petstore.writer.get(target), 'insufficient_scope');
    expectError(await petstore.admin.get('/v1/keys/999/usage'), 'key_not_found');
    expectError(await petstore.admin.get('/v1/keys/x/usage'), 'key_not_found');
  });

  test('429, 500, 503: fails as every operation does', async () => {
    const tight = await petstore.keyWith({ perMinute: 1, scopes: ['admin'] });
    await tight.client.get('/v1/keys/1/usage');
    expectError(await tight.client.get('/v1/keys/1/usage'), 'rate_limit_minute');
    await petstore.database.sql('ALTER TABLE usage_counts RENAME TO elsewhere');
    expectError(await usageOf({ id: 1n }), 'internal_error');
    await petstore.database.sql('ALTER TABLE elsewhere RENAME TO usage_counts');
    await petstore.database.destroy();
    expectError(await usageOf({ id: 1n }), 'service_unavailable');
  });
});
