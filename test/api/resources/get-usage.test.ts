import { describe, expect, test } from 'bun:test';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';
import { expectLimits } from '../pipeline/expect-limits.ts';

describe('GET /v1/usage (getUsage)', () => {
  const petstore = forAllTests(() => startPetstore());

  const MINUTE_END = Date.UTC(2027, 0, 15, 12, 1) / 1_000;
  const DAY_END = Date.UTC(2027, 0, 16) / 1_000;

  describe('200', () => {
    test('says who the key is for, what it may do and when it ends', async () => {
      const expiresAt = petstore.clock.now() + 5_000;
      const named = { name: 'Zoë, front desk', scopes: ['read', 'write'], expiresAt } as const;
      const { client, id } = await petstore.keyWith(named);
      expect(JSON.parse((await client.get('/v1/usage')).text).key).toEqual({
        id: Number(id),
        name: named.name,
        scopes: [...named.scopes],
        expiresAt: new Date(expiresAt).toISOString(),
      });
      const endless = JSON.parse((await petstore.reader.get('/v1/usage')).text);
      expect(endless.key).toMatchObject({ scopes: ['read'], expiresAt: null });
    });

    test('reports the plan, both windows and no ban, and is unmetered', async () => {
      const { client, id } = await petstore.keyWith({ plan: 'pro', scopes: ['read'] });
      await client.get('/v1/pets');
      for (let i = 0; i < 3; i++) {
        const response = await client.get('/v1/usage');
        expect(response.status).toBe(200);
        expect(JSON.parse(response.text)).toEqual({
          key: { id: Number(id), name: 'a test', scopes: ['read'], expiresAt: null },
          plan: 'pro',
          minute: { limit: 300, remaining: 299, reset: MINUTE_END },
          day: { limit: 10_000, remaining: 9_999, reset: DAY_END },
          ban: null,
        });
        expect(expectLimits(response, petstore.clock.now()).remaining).toBe(299);
      }
    });

    test('works over the limit and during a ban, and reports when it ends', async () => {
      const { client } = await petstore.keyWith({ plan: 'free' });
      for (let i = 0; i < 61; i++) await client.get('/v1/pets');
      const over = await client.get('/v1/usage');
      expect(JSON.parse(over.text).minute).toEqual({ limit: 60, remaining: 0, reset: MINUTE_END });
      for (let i = 0; i < 60; i++) await client.get('/v1/pets');
      const banned = await client.get('/v1/usage');
      expect(banned.status).toBe(200);
      const until = Math.ceil((petstore.clock.now() + 15 * 60_000) / 1_000);
      expect(JSON.parse(banned.text).ban).toEqual({ until });
      expect(banned.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(banned.headers.get('x-ratelimit-reset')).toBe(String(until));
      expectLimits(banned, petstore.clock.now());
    });
  });

  test('304: nothing has changed', async () => {
    const { client } = await petstore.keyWith({ plan: 'pro' });
    const etag = (await client.get('/v1/usage')).headers.get('etag') ?? '';
    const response = await client.get('/v1/usage', { 'if-none-match': etag });
    expect(response.status).toBe(304);
    expect(response.text).toBe('');
    expectLimits(response, petstore.clock.now());
  });

  test('401: needs a key, and an unknown key is charged to the address', async () => {
    const response = await petstore.anonymous.get('/v1/usage');
    expectError(response, 'missing_api_key');
    const { remaining } = expectLimits(response, petstore.clock.now());
    const again = await petstore.anonymous.get('/v1/usage');
    expect(expectLimits(again, petstore.clock.now()).remaining).toBe(remaining - 1);
  });

  test('405: only GET and HEAD', async () => {
    const response = await petstore.reader.send('POST', '/v1/usage');
    expectError(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});
