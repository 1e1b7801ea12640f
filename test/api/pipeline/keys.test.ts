import { describe, expect, test } from 'bun:test';
import { generateKey, type Scope } from '../../../src/domain/api-key.ts';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { FAILURE_STATUS } from '../../../src/domain/failure.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import { newKey } from '../../storage/subject.ts';
import { createClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

/** A change of a key takes effect on a running server within this time. */
const PROMISED_MS = 1_000;

const petstore = forAllTests(() => startPetstore());

const authorized = (authorization: string) => petstore.anonymous.get('/v1/pets', { authorization });

describe('the Authorization header', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme as %s', async (scheme) => {
    expect((await authorized(`${scheme} ${petstore.reader.key}`)).status).toBe(200);
  });

  test('takes more than one blank before the key', async () => {
    expect((await authorized(`Bearer   ${petstore.reader.key}`)).status).toBe(200);
  });

  test.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Token x', 'Bearerx', 'Digest a="b"'])(
    'without a key is missing_api_key: %p',
    async (authorization) => {
      const response = await authorized(authorization);
      expectError(response, 'missing_api_key');
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
    },
  );

  test('with only the key is missing_api_key', async () => {
    expectError(await authorized(petstore.reader.key ?? ''), 'missing_api_key');
  });

  test('given twice is invalid_api_key, even with the same key', async () => {
    const bearer = `Bearer ${petstore.reader.key}`;
    for (const both of [`${bearer}, ${bearer}`, `Basic eDp5, ${bearer}`, `${bearer},Basic eDp5`]) {
      expectError(await authorized(both), 'invalid_api_key');
    }
    const headers = new Headers();
    headers.append('authorization', bearer);
    headers.append('authorization', bearer);
    const response = await fetch(`${petstore.url}/v1/pets`, { headers });
    expect(response.status).toBe(401);
  });

  test('a key is read from nowhere else', async () => {
    const key = petstore.reader.key ?? '';
    for (const response of [
      await petstore.anonymous.get(`/v1/pets?api_key=${key}&access_token=${key}`),
      await petstore.anonymous.get('/v1/pets', { 'x-api-key': key, cookie: `api_key=${key}` }),
    ]) {
      expectError(response, 'missing_api_key');
    }
  });
});

describe('a malformed key is refused without a look-up', () => {
  const good = () => petstore.reader.key ?? '';

  test.each<[string, () => string]>([
    ['another prefix', () => good().replace('petstore', 'Petstore')],
    ['one character less', () => good().slice(0, -1)],
    ['one character more', () => `${good()}0`],
    ['another checksum', () => good().slice(0, -1) + (good().endsWith('0') ? '1' : '0')],
    [
      'another character in the middle',
      () => good().replace(/(.{20})(.)/, (_, a, b) => a + (b === 'x' ? 'y' : 'x')),
    ],
    [
      'two characters in the other order',
      () => good().replace(/_live_(.)(.)/, (_, a, b) => `_live_${b}${a === b ? '!' : a}`),
    ],
    ['a character of no key', () => good().replace(/.$/, '-')],
    ['a letter beyond ASCII', () => `petstore_live_é${'0'.repeat(37)}`],
    ['blanks inside', () => good().replace('_live_', '_live_ ')],
    ['a very long text', () => 'a'.repeat(4_000)],
  ])('%s', async (_, text) => {
    const response = await authorized(`Bearer ${text()}`);
    expect(expectError(response, 'invalid_api_key')).toContain('malformed');
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="petstore", error="invalid_token"',
    );
  });

  test('no message repeats the key', async () => {
    for (const text of [`${good()}0`, generateKey('production', (n) => new Uint8Array(n))]) {
      expect((await authorized(`Bearer ${text}`)).text).not.toContain(text.slice(14, 40));
    }
  });
});

describe('an unknown, revoked or expired key', () => {
  test('gets the same message, so that an attacker learns nothing', async () => {
    const unknown = generateKey('production', (n) => crypto.getRandomValues(new Uint8Array(n)));
    const revoked = await petstore.keyWith({});
    await petstore.storage.keys.revoke(revoked.id, petstore.clock.now());
    const expired = await petstore.keyWith({ expiresAt: petstore.clock.now() });
    const messages = new Set<string>();
    for (const text of [unknown, revoked.text, expired.text]) {
      messages.add(expectError(await authorized(`Bearer ${text}`), 'invalid_api_key'));
    }
    expect(messages.size).toBe(1);
  });
});

describe('the life of a key', () => {
  test('it expires to the millisecond', async () => {
    const expiresAt = petstore.clock.now() + HOUR_MS;
    const { client } = await petstore.keyWith({ expiresAt });
    expect((await client.get('/v1/pets')).status).toBe(200);
    petstore.clock.set(expiresAt - 1);
    expect((await client.get('/v1/pets')).status).toBe(200);
    petstore.clock.set(expiresAt);
    expectError(await client.get('/v1/pets'), 'invalid_api_key');
  });

  test('a new key works at once, even if it was tried before it existed', async () => {
    const text = generateKey('production', (n) => crypto.getRandomValues(new Uint8Array(n)));
    const client = createClient(() => petstore.url, text);
    expectError(await client.get('/v1/pets'), 'invalid_api_key');
    await petstore.storage.keys.create(newKey({ hash: hashKey(text) }));
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  test('a revocation by another process takes effect within a second', async () => {
    const { client, id } = await petstore.keyWith({});
    expect((await client.get('/v1/pets')).status).toBe(200);
    await petstore.storage.keys.revoke(id, petstore.clock.now());
    petstore.clock.advance(PROMISED_MS - 1);
    expectError(await client.get('/v1/pets'), 'invalid_api_key');
  });

  test('a revocation takes effect on a busy key too', async () => {
    const { client, id } = await petstore.keyWith({});
    await client.get('/v1/pets');
    await petstore.storage.keys.revoke(id, petstore.clock.now());
    for (let passed = 0; passed < PROMISED_MS; passed += 100) {
      await client.get('/v1/pets');
      petstore.clock.advance(99);
    }
    expectError(await client.get('/v1/pets'), 'invalid_api_key');
  });

  test('a clock that is set back does not revive a revoked key', async () => {
    const { client, id } = await petstore.keyWith({});
    await client.get('/v1/pets');
    await petstore.storage.keys.revoke(id, petstore.clock.now());
    petstore.clock.advance(-HOUR_MS);
    expectError(await client.get('/v1/pets'), 'invalid_api_key');
    petstore.clock.advance(HOUR_MS);
  });

  test('its last use is written while the service runs, and when it stops', async () => {
    const { client, id } = await petstore.keyWith({});
    const lastUse = async () => (await petstore.storage.keys.find(id))?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    const first = petstore.clock.now();
    await client.get('/v1/pets');
    expect(await eventually(lastUse, (at) => at !== null)).toBe(first);
    petstore.clock.advance(5_000);
    await client.get('/v1/pets');
    await petstore.restart();
    expect(await lastUse()).toBe(first + 5_000);
  });

  test('its last use is not lost when the database cannot be written for a while', async () => {
    const { client, id } = await petstore.keyWith({});
    const lastUse = async () => (await petstore.storage.keys.find(id))?.lastUsedAt;
    const logged = petstore.log.length;
    {
      await using _held = await petstore.database.holdWrites();
      await client.get('/v1/pets');
      await eventually(
        () => petstore.log.slice(logged).join(''),
        (lines) => lines.includes('could not save when keys were last used'),
      );
    }
    expect(await eventually(lastUse, (at) => at !== null)).toBe(petstore.clock.now());
  });

  test('a refused key has no last use', async () => {
    const { client, id } = await petstore.keyWith({ expiresAt: petstore.clock.now() });
    await client.get('/v1/pets');
    await petstore.restart();
    expect((await petstore.storage.keys.find(id))?.lastUsedAt).toBeNull();
  });
});

describe('scopes', () => {
  const BODY = { name: 'Rex', categoryId: 1 };
  const FORBIDDEN = FAILURE_STATUS.insufficient_scope;

  test.each<[readonly Scope[], number, number]>([
    [['read'], 200, FORBIDDEN],
    [['write'], 200, 201],
    [['admin'], 200, 201],
    [['read', 'write'], 200, 201],
    [['read', 'admin'], 200, 201],
    [[], FORBIDDEN, FORBIDDEN],
  ])('%p may read: %d, and write: %d', async (scopes, reading, writing) => {
    const { client } = await petstore.keyWith({ scopes });
    expect((await client.get('/v1/pets')).status).toBe(reading);
    expect((await client.post('/v1/pets', BODY)).status).toBe(writing);
  });
});
