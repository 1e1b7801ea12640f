import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/domain/api-key.ts';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { secureRandomBytes } from '../../../src/domain/secrets.ts';
import { generateSessionToken } from '../../../src/domain/session.ts';
import { expectError } from '../../support/expect-error.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

const PER_MINUTE = 5;

let petstore: TestPetstore;
beforeEach(async () => {
  const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: String(PER_MINUTE) };
  petstore = await startPetstore({ settings });
});
afterEach(() => petstore[Symbol.asyncDispose]());

const visit = () => createVisitor(() => petstore.url);
const wrongKey = () => generateKey('production', secureRandomBytes);
const crossSite = () => ({ cookie: wrongCookie(), 'sec-fetch-site': 'none' });
const wrongCookie = () => `petstore_session=${generateSessionToken(secureRandomBytes)}`;

/** Returns how often each of these methods of the storage was called. */
async function calls(...methods: readonly string[]): Promise<number[]> {
  const scraped = await scrape(petstore.metricsUrl);
  const engine = petstore.database.address.split(':')[0];
  return methods.map((method) => {
    const labels = `engine="${engine}",method="${method}"`;
    return sampleOf(scraped, `petstore_storage_duration_seconds_count{${labels}}`);
  });
}

describe('an address', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['wrong keys', () => visit().signIn(wrongKey())],
    ['malformed keys', () => visit().signIn('wrong')],
    ['bodies that are no JSON', () => visit().send('POST', '/console/session', '{')],
    ['wrong cookies', () => visit().get('/v1/pets', { cookie: wrongCookie() })],
    ['malformed cookies', () => visit().get('/v1/pets', { cookie: 'petstore_session=x' })],
    ['requests of other sites', () => visit().post('/v1/pets', {}, crossSite())],
    ['ends of sessions that do not exist', () => visit().signOut({ cookie: wrongCookie() })],
  ])('that sends %s is limited', async (_, send) => {
    for (let i = 0; i < PER_MINUTE; i++) expect(await send()).not.toMatchObject({ status: 429 });
    expect(await send()).toMatchObject({ status: 429 });
    expectError(await visit().signIn(wrongKey()), 'rate_limit_minute');
    petstore.clock.advance(MINUTE_MS);
    expectError(await visit().signIn(wrongKey()), 'invalid_api_key');
  });

  test('past its limit costs the database nothing, whatever cookies it invents', async () => {
    const methods = ['sessions.find', 'sessions.hashPrefixes', 'keys.findByHash'] as const;
    for (let i = 0; i <= PER_MINUTE; i++) await visit().get('/v1/pets', { cookie: wrongCookie() });
    const before = await calls(...methods, 'sessions.remove');
    for (let i = 0; i < 50; i++) {
      const refused = await visit().get('/v1/pets', { cookie: wrongCookie() });
      expectError(refused, 'rate_limit_minute');
      expectError(await visit().signIn(wrongKey()), 'rate_limit_minute');
      expectError(await visit().signOut({ cookie: wrongCookie() }), 'rate_limit_minute');
    }
    const [finds = 0, lists = 0, keys = 0, removals = 0] = before;
    expect(await calls(...methods, 'sessions.remove')).toEqual([finds, lists + 1, keys, removals]);
  });

  test('past its limit blocks nobody there who has a key or a session', async () => {
    const visitor = visit();
    await visitor.signIn(petstore.writer.key);
    for (let i = 0; i < 2 * PER_MINUTE; i++) await visit().signIn(wrongKey());
    expect((await visitor.get('/v1/pets')).status).toBe(200);
    expect((await visit().signIn(petstore.reader.key)).status).toBe(204);
    petstore.clock.advance(500);
    expect((await visitor.get('/v1/pets')).status).toBe(200);
    expect((await visitor.signOut()).status).toBe(204);
  });
});

test('signing out with hundreds of cookies ends a few of them', async () => {
  const cookie = Array.from({ length: 150 }, wrongCookie).join('; ');
  expect((await visit().signOut({ cookie })).status).toBe(204);
  expect(await calls('sessions.remove')).toEqual([4]);
});

test('signing in is charged to the key, signing out to nobody', async () => {
  const { client, text } = await petstore.keyWith({ perMinute: 3 });
  const remaining = async () =>
    JSON.parse((await client.get('/v1/usage')).text).minute.remaining as number;
  const visitor = visit();
  await visitor.signIn(text);
  expect(await remaining()).toBe(2);
  await visitor.get('/v1/pets');
  await visitor.signOut();
  expect(await remaining()).toBe(1);
  await visitor.signIn(text);
  expectError(await visitor.signIn(text), 'rate_limit_minute');
  expect((await visitor.signOut()).status).toBe(204);
});

test('a cached session costs no look-up for half a second', async () => {
  const visitor = visit();
  await visitor.signIn(petstore.writer.key);
  await visitor.get('/v1/pets');
  const [before = 0] = await calls('sessions.find');
  for (let i = 0; i < 20; i++) await visitor.get('/v1/pets');
  const [after = 0] = await calls('sessions.find');
  // The cache is emptied once a second of the machine's clock.
  expect(after - before).toBeLessThan(10);
});
