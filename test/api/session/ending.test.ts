import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import {
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSION_RECENT_MS,
} from '../../../src/domain/session.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { type KeyOptions, startPetstore } from '../../support/start.ts';
import { createVisitor, type Visitor } from '../../support/visitor.ts';

// Uses are written once a second, by the clock of the machine.
setDefaultTimeout(60_000);

const petstore = forEachTest(() => startPetstore());

/** Signs in with a new key. */
async function signedIn(options: KeyOptions = {}) {
  const key = await petstore.keyWith(options);
  const visitor = createVisitor(() => petstore.url);
  expect((await visitor.signIn(key.text)).status).toBe(204);
  return { ...key, visitor };
}

const works = async (visitor: Visitor) => (await visitor.get('/v1/pets')).status === 200;

const storedSession = async (visitor: Visitor) => {
  const hash = hashKey(visitor.cookie()?.split('=')[1] ?? '');
  return (await petstore.storage.sessions.find(hash))?.session;
};

test('a session issues and changes keys for five minutes after the sign-in; a key in the header always does', async () => {
  const { visitor, text } = await signedIn({ scopes: ['admin'] });
  const newKey = { name: 'Partner', plan: 'free' };
  const issue = async () => (await visitor.post('/v1/keys', newKey)).status;
  const rotate = async () => (await visitor.post('/v1/keys/1/rotate', {})).status;
  const partner = await petstore.keyWith({ scopes: ['read'] });
  const raise = async () =>
    (await visitor.send('PATCH', `/v1/keys/${partner.id}`, '{"scopes":["admin"]}')).status;
  petstore.clock.advance(SESSION_RECENT_MS);
  expect(await issue()).toBe(201);
  petstore.clock.advance(1);
  expectError(await visitor.post('/v1/keys', newKey), 'invalid_api_key');
  expect([await rotate(), await raise()]).toEqual([401, 401]);
  expect((await visitor.get('/v1/keys')).status).toBe(200);
  const headers = { authorization: `Bearer ${text}` };
  expect((await visitor.post('/v1/keys', newKey, headers)).status).toBe(201);
  expect((await visitor.signIn(text)).status).toBe(204);
  expect([await issue(), await raise()]).toEqual([201, 200]);
});

describe('a session ends', () => {
  test('after 8 hours without a request, to the millisecond', async () => {
    const { visitor } = await signedIn();
    const { visitor: other } = await signedIn();
    petstore.clock.advance(SESSION_IDLE_MS - 1);
    expect(await works(visitor)).toBe(true);
    petstore.clock.advance(1);
    expectError(await other.get('/v1/pets'), 'invalid_api_key');
    expect(await works(visitor)).toBe(true);
  });

  test('after 7 days, however often it is used', async () => {
    const { visitor } = await signedIn();
    const signedInAt = petstore.clock.now();
    for (let at = HOUR_MS; at < SESSION_LIFETIME_MS; at += 7 * HOUR_MS) {
      petstore.clock.set(signedInAt + at);
      expect(await works(visitor)).toBe(true);
    }
    petstore.clock.set(signedInAt + SESSION_LIFETIME_MS - 1);
    expect(await works(visitor)).toBe(true);
    petstore.clock.set(signedInAt + SESSION_LIFETIME_MS);
    expect(await works(visitor)).toBe(false);
  });

  test('when its key is revoked: at once if here, elsewhere within a second', async () => {
    const { visitor, id } = await signedIn();
    const { visitor: idle } = await signedIn();
    expect(await works(visitor)).toBe(true);
    await petstore.storage.keys.revoke(id, petstore.clock.now());
    for (let passed = 0; passed < SECOND_MS; passed += 100) {
      await works(visitor);
      petstore.clock.advance(99);
    }
    expectError(await visitor.get('/v1/pets'), 'invalid_api_key');
    expect(await works(idle)).toBe(true);
  });

  test('when its key expires, to the millisecond', async () => {
    const expiresAt = petstore.clock.now() + HOUR_MS;
    const { visitor } = await signedIn({ expiresAt });
    petstore.clock.set(expiresAt - 1);
    expect(await works(visitor)).toBe(true);
    petstore.clock.set(expiresAt);
    expectError(await visitor.get('/v1/pets'), 'invalid_api_key');
  });

  test('when its key is rotated, after the overlap, and does not pass to the successor', async () => {
    const { visitor, id } = await signedIn();
    const { visitor: leaked, id: leakedId } = await signedIn();
    for (const [keyId, overlapMs] of [[id, HOUR_MS] as const, [leakedId, 0] as const]) {
      const rotation = { hash: hashKey(`${keyId}`), at: petstore.clock.now(), overlapMs };
      expect(await petstore.storage.keys.rotate(keyId, rotation)).toBeDefined();
    }
    petstore.clock.advance(SECOND_MS);
    expect([await works(visitor), await works(leaked)]).toEqual([true, false]);
    petstore.clock.advance(HOUR_MS - SECOND_MS);
    expect(await works(visitor)).toBe(false);
  });

  test('not when the service restarts', async () => {
    const { visitor } = await signedIn();
    petstore.clock.advance(7 * HOUR_MS);
    expect(await works(visitor)).toBe(true);
    await petstore.restart();
    petstore.clock.advance(7 * HOUR_MS);
    expect(await works(visitor)).toBe(true);
  });
});

describe('a session of a key', () => {
  test('that loses a scope loses it within a second', async () => {
    const { visitor, id } = await signedIn({ scopes: ['write'] });
    const body = { name: 'Rex', categoryId: 1 };
    expect((await visitor.post('/v1/pets', body)).status).toBe(201);
    const change = { scopes: ['read'] };
    expect((await petstore.admin.patch(`/v1/keys/${id}`, change)).status).toBe(200);
    petstore.clock.advance(SECOND_MS);
    expectError(await visitor.post('/v1/pets', body), 'insufficient_scope');
  });

  test('that is banned is refused as its other requests are, and may sign out', async () => {
    const { visitor, client, text } = await signedIn({ perMinute: 2 });
    while (!(await client.get('/v1/pets')).text.includes('api_key_banned'));
    expectError(await visitor.get('/v1/pets'), 'api_key_banned');
    const other = createVisitor(() => petstore.url);
    expectError(await other.signIn(text), 'api_key_banned');
    expect(other.cookie()).toBeUndefined();
    const { ban } = JSON.parse((await visitor.get('/v1/usage')).text);
    expect(ban).not.toBeNull();
    expect((await visitor.signOut()).status).toBe(204);
  });

  test('with a body under way when the key is revoked changes nothing', async () => {
    const { visitor, id } = await signedIn();
    const revoked = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"name":"Late",'));
        await revoked.promise;
        controller.enqueue(new TextEncoder().encode('"categoryId":1}'));
        controller.close();
      },
    });
    const sending = fetch(`${petstore.url}/v1/pets`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        cookie: visitor.cookie() ?? '',
      },
    });
    const seen = () => petstore.storage.keys.find(id);
    // Its use is written once the request has been authenticated.
    await eventually(seen, (key) => key?.lastUsedAt !== null);
    await petstore.storage.keys.revoke(id, petstore.clock.now());
    petstore.clock.advance(SECOND_MS);
    revoked.resolve();
    expect((await sending).status).toBe(401);
    expect((await petstore.reader.get('/v1/pets?status=available')).text).toBe('[]');
  });
});

describe('the clock', () => {
  test('that is ahead for a while ends a session, and lengthens none', async () => {
    const { visitor } = await signedIn();
    const signedInAt = petstore.clock.now();
    petstore.clock.advance(SESSION_IDLE_MS);
    expect(await works(visitor)).toBe(false);
    petstore.clock.set(signedInAt + SECOND_MS);

    const { visitor: used } = await signedIn();
    petstore.clock.advance(6 * HOUR_MS);
    expect(await works(used)).toBe(true);
    const { visitor: future } = await signedIn();
    petstore.clock.set(signedInAt + 2 * SECOND_MS);
    // Neither the use nor the sign-in has happened yet.
    expect([await works(used), await works(future)]).toEqual([false, false]);
  });

  test('that differs a little between instances ends nothing', async () => {
    const { visitor } = await signedIn();
    petstore.clock.advance(-30 * SECOND_MS);
    expect(await works(visitor)).toBe(true);
    petstore.clock.advance(-MINUTE_MS);
    expect(await works(visitor)).toBe(false);
    petstore.clock.advance(90 * SECOND_MS);
    expect(await works(visitor)).toBe(true);
  });
});

describe('the last use', () => {
  test('is stored once a minute at most, and requests for events are none', async () => {
    const { visitor } = await signedIn();
    const signedInAt = petstore.clock.now();
    const storedUse = async () => (await storedSession(visitor))?.lastUsedAt;
    petstore.clock.advance(MINUTE_MS - 1);
    await works(visitor);
    const first = petstore.clock.now() + 1;
    petstore.clock.set(first);
    expect((await visitor.get('/v1/events?after=latest')).status).toBe(200);
    // The use of another session goes through the same write later, so this one has had its turn.
    const { visitor: other } = await signedIn();
    petstore.clock.advance(MINUTE_MS);
    await works(other);
    const otherUse = async () => (await storedSession(other))?.lastUsedAt;
    await eventually(otherUse, (at) => at === first + MINUTE_MS);
    expect(await storedUse()).toBe(signedInAt);
    await works(visitor);
    await eventually(storedUse, (at) => at === first + MINUTE_MS);
  });

  test('does not count a tab that only follows events', async () => {
    const { visitor } = await signedIn();
    for (let hours = 1; hours < 8; hours++) {
      petstore.clock.advance(HOUR_MS);
      expect((await visitor.get('/v1/events?after=latest')).status).toBe(200);
    }
    petstore.clock.advance(HOUR_MS);
    expectError(await visitor.get('/v1/events?after=latest'), 'invalid_api_key');
  });

  test('is not lost when the database cannot be written for a while', async () => {
    const { visitor } = await signedIn();
    petstore.clock.advance(HOUR_MS);
    const logged = petstore.log.length;
    {
      await using _held = await petstore.database.holdWrites();
      expect(await works(visitor)).toBe(true);
      await eventually(
        () => petstore.log.slice(logged).join(''),
        (lines) => lines.includes('could not save when sessions were last used'),
      );
      petstore.clock.advance(SESSION_IDLE_MS - 1);
      expect(await works(visitor)).toBe(true);
    }
    const last = petstore.clock.now();
    await eventually(
      () => storedSession(visitor),
      (session) => session?.lastUsedAt === last,
    );
  });
});
