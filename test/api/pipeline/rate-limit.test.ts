import { describe, expect, test } from 'bun:test';
import { withPlan } from '../../../src/domain/key-lifecycle.ts';
import { FIXED_PLANS } from '../../../src/domain/plan.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';
import { expectLimits } from './expect-limits.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;
const NO_KEY = { authorization: `Bearer petstore_live_${'0'.repeat(38)}` };

const petstore = forEachTest(() =>
  startPetstore({ settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '60' } }),
);

describe('a key', () => {
  test('500 concurrent requests on a free key: exactly 60 are served', async () => {
    const { client } = await petstore.keyWith({ plan: 'free' });
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const own = [];
        for (let i = 0; i < 10; i++) own.push(await client.get('/v1/pets'));
        return own;
      }),
    );
    const granted = responses.flat().filter(({ status }) => status !== 429);
    expect(granted).toHaveLength(60);
    const remaining = granted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.toSorted((a, b) => b - a)).toEqual(
      Array.from({ length: 60 }, (_, i) => 59 - i),
    );
  });

  test('learns when to retry, and can retry then', async () => {
    const { client } = await petstore.keyWith({ plan: 'free' });
    for (let i = 0; i < 60; i++) expect((await client.get('/v1/pets')).status).toBe(200);
    const refused = await client.get('/v1/pets');
    expectError(refused, 'rate_limit_minute');
    const { retryAfter = 0, reset, limit } = expectLimits(refused, petstore.clock.now());
    expect(limit).toBe(60);
    expect(reset).toBe(Math.ceil((petstore.clock.now() + 1) / MINUTE_MS) * 60);
    petstore.clock.advance(retryAfter * 1_000);
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  test('reaches the day limit, which outweighs the minute limit', async () => {
    const { client } = await petstore.keyWith({ perMinute: 5, perDay: 3 });
    for (let i = 0; i < 3; i++) {
      const { remaining, limit } = expectLimits(await client.get('/v1/pets'), petstore.clock.now());
      expect({ remaining, limit }).toEqual({ remaining: 2 - i, limit: 3 });
    }
    const refused = await client.get('/v1/pets');
    expectError(refused, 'rate_limit_day');
    const { reset } = expectLimits(refused, petstore.clock.now());
    expect(reset).toBe(Date.UTC(2027, 0, 16) / 1_000);
  });

  test('sees the minute limit if both have the same left', async () => {
    const { client } = await petstore.keyWith({ perMinute: 9, perDay: 9 });
    const { reset } = expectLimits(await client.get('/v1/pets'), petstore.clock.now());
    expect(reset).toBe(Date.UTC(2027, 0, 15, 12, 1) / 1_000);
  });

  test('every response is charged once, whatever its status', async () => {
    const { client } = await petstore.keyWith({ plan: 'free', scopes: ['read'] });
    await client.get('/v1/pets?limit=0');
    await client.get('/v1/pets/0');
    await client.get('/v1/nothing');
    await client.send('PUT', '/v1/pets');
    await client.post('/v1/pets', {});
    await client.head('/v1/pets');
    const last = await client.get('/v1/pets');
    expect(last.headers.get('x-ratelimit-remaining')).toBe('53');
  });

  test('keeps its counts through a restart', async () => {
    const { client } = await petstore.keyWith({ plan: 'free' });
    for (let i = 0; i < 10; i++) await client.get('/v1/pets');
    await petstore.restart();
    const { headers } = await client.get('/v1/pets');
    expect(headers.get('x-ratelimit-remaining')).toBe('49');
    expect(headers.get('ratelimit')).toContain('"day";r=989;');
  });

  test('is banned if it keeps sending, learns until when, and is let in by an unban', async () => {
    const { client, id } = await petstore.keyWith({ plan: 'free' });
    for (let i = 0; i < 120; i++) await client.get('/v1/pets');
    const banned = await client.get('/v1/pets');
    const message = expectError(banned, 'api_key_banned');
    expect(message).toContain('2027-01-15T12:15:31Z');
    expect(expectLimits(banned, petstore.clock.now()).retryAfter).toBe(900);

    await petstore.storage.keys.unban(id, petstore.clock.now());
    petstore.clock.advance(999);
    expectError(await client.get('/v1/pets'), 'rate_limit_minute');
  });

  test('is let in by an unban even if the clock was set back since the last one', async () => {
    const { client, id } = await petstore.keyWith({ plan: 'free' });
    const start = petstore.clock.now();
    petstore.clock.set(start + YEAR_MS);
    for (let i = 0; i < 120; i++) await client.get('/v1/pets');
    await petstore.storage.keys.unban(id, petstore.clock.now());
    petstore.clock.advance(999);
    expectError(await client.get('/v1/pets'), 'rate_limit_minute');

    petstore.clock.set(start);
    for (let i = 0; i < 120; i++) await client.get('/v1/pets');
    expectError(await client.get('/v1/pets'), 'api_key_banned');
    await petstore.storage.keys.unban(id, petstore.clock.now());
    petstore.clock.advance(999);
    expectError(await client.get('/v1/pets'), 'rate_limit_minute');
  });

  test('a changed plan takes effect within a second', async () => {
    const { client, id } = await petstore.keyWith({ plan: 'free' });
    await client.get('/v1/pets');
    const now = petstore.clock.now();
    await petstore.storage.keys.update(id, now, withPlan(FIXED_PLANS.pro, now));
    petstore.clock.advance(999);
    const { limit, remaining } = expectLimits(await client.get('/v1/pets'), petstore.clock.now());
    expect({ limit, remaining }).toEqual({ limit: 300, remaining: 298 });
  });
});

describe('a client without a valid key', () => {
  test('guessing keys spends nothing of any key, and is refused after 60 a minute', async () => {
    const { client } = await petstore.keyWith({ plan: 'free' });
    await client.get('/v1/pets');
    for (let i = 0; i < 60; i++) {
      const guess = await petstore.anonymous.get('/v1/pets', NO_KEY);
      expectError(guess, 'invalid_api_key');
      expect(expectLimits(guess, petstore.clock.now()).remaining).toBe(59 - i);
    }
    const refused = await petstore.anonymous.get('/v1/pets', NO_KEY);
    expectError(refused, 'rate_limit_minute');
    expect(refused.headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60');
    expectLimits(refused, petstore.clock.now());
    const own = await client.get('/v1/pets');
    expect(own.headers.get('x-ratelimit-remaining')).toBe('58');
  });

  test('is never banned: the next minute has the full limit', async () => {
    for (let i = 0; i < 200; i++) await petstore.anonymous.get('/v1/pets');
    petstore.clock.advance(MINUTE_MS);
    expectError(await petstore.anonymous.get('/v1/pets'), 'missing_api_key');
  });

  test('X-Forwarded-For is ignored if no proxy is trusted', async () => {
    for (let i = 0; i < 60; i++) {
      await petstore.anonymous.get('/v1/pets', { 'x-forwarded-for': `192.0.2.${i}` });
    }
    const last = await petstore.anonymous.get('/v1/pets', { 'x-forwarded-for': '192.0.2.99' });
    expectError(last, 'rate_limit_minute');
  });

  test('behind a trusted proxy each client has its own allowance', async () => {
    await petstore.restart({ PETSTORE_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.1' });
    const from = (forwardedFor: string) =>
      petstore.anonymous.get('/v1/pets', { 'x-forwarded-for': forwardedFor });
    for (let i = 0; i < 60; i++) await from('192.0.2.1, 10.0.0.1');
    expectError(await from('192.0.2.1'), 'rate_limit_minute');
    expectError(await from('spoofed, 192.0.2.1'), 'rate_limit_minute');
    expectError(await from('192.0.2.2'), 'missing_api_key');
    expectError(await from('2001:db8:1:2::1'), 'missing_api_key');
    const neighbour = await from('2001:db8:1:2:ffff::9');
    expect(neighbour.headers.get('x-ratelimit-remaining')).toBe('58');
  });
});
