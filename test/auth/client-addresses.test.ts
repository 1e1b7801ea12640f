import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { authenticate } from '../../src/auth/authenticate.ts';
import { createKeyCache, type KeyCache } from '../../src/auth/credential-cache.ts';
import { type ApiKey, generateKey, type KeyStorage } from '../../src/domain/api-key.ts';
import { HASH_PREFIX_LENGTH, hashKey } from '../../src/domain/secrets.ts';
import { createTestClock } from '../support/clock.ts';
import { expectError } from '../support/expect-error.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const newKeyText = () =>
  generateKey('production', (count) => crypto.getRandomValues(new Uint8Array(count)));

describe('an address past its limit', () => {
  const PER_MINUTE = 5;
  let petstore: TestPetstore;
  beforeEach(async () => {
    const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: String(PER_MINUTE) };
    petstore = await startPetstore({ settings });
  });
  afterEach(() => petstore[Symbol.asyncDispose]());

  async function lookUps(): Promise<readonly [find: number, list: number]> {
    const scraped = await scrape(petstore.metricsUrl);
    const of = (method: string) => {
      const labels = `engine="${petstore.database.address.split(':')[0]}",method="keys.${method}"`;
      return sampleOf(scraped, `petstore_storage_duration_seconds_count{${labels}}`);
    };
    return [of('findByHash'), of('hashPrefixes')];
  }

  const tryWrongKey = () =>
    petstore.anonymous.get('/v1/pets', { authorization: `Bearer ${newKeyText()}` });

  test('causes no look-up in the database, whatever keys it invents', async () => {
    for (let i = 0; i < PER_MINUTE; i++) expectError(await tryWrongKey(), 'invalid_api_key');
    expectError(await tryWrongKey(), 'rate_limit_minute');
    const [before] = await lookUps();
    for (let i = 0; i < 50; i++) expectError(await tryWrongKey(), 'rate_limit_minute');
    expect(await lookUps()).toEqual([before, 1]);
    petstore.clock.advance(60_000);
    expectError(await tryWrongKey(), 'invalid_api_key');
    expect(await lookUps()).toEqual([before + 1, 1]);
  });

  test('blocks no client with a valid key at that address, nor a new key', async () => {
    for (let i = 0; i < 2 * PER_MINUTE; i++) await tryWrongKey();
    expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
    const { client } = await petstore.keyWith({});
    petstore.clock.advance(500);
    expect((await client.get('/v1/pets')).status).toBe(200);
    expectError(await tryWrongKey(), 'rate_limit_minute');
  });
});

describe('the cached form of a key', () => {
  const KEYS = 500;
  const PADDING = 15_000;
  const texts = Array.from({ length: KEYS }, newKeyText);
  const byHash = new Map(
    texts.map((text, i) => {
      const facts = { name: 'x', plan: 'free', perMinute: null, perDay: null, scopes: ['read'] };
      const times = { createdAt: 0, expiresAt: null, lastUsedAt: null, revokedAt: null };
      return [hashKey(text), { id: BigInt(i), ...facts, ...times, unbannedAt: null }] as const;
    }),
  );

  function createDirectory(): { keys: KeyCache; lookUps: () => number } {
    let lookUps = 0;
    // Only the method that the key cache calls.
    const storage = {
      async findByHash(hash: string) {
        lookUps++;
        return byHash.get(hash) as ApiKey | undefined;
      },
      hashPrefixes: async () => [...byHash.keys()].map((hash) => hash.slice(0, HASH_PREFIX_LENGTH)),
    } as unknown as KeyStorage;
    return { keys: createKeyCache(storage, createTestClock()), lookUps: () => lookUps };
  }

  /** Bytes of the heap in use after a collection. */
  function heapUsed(): number {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  }

  /** A new string each time, as one from a socket. */
  const padded = (text: string, padding: number) =>
    Buffer.from(`Bearer ${' '.repeat(padding)}${text}${' '.repeat(padding)}`).toString('latin1');

  test('is the key only, however long its header is padded', async () => {
    const { keys, lookUps } = createDirectory();
    const before = heapUsed();
    for (const text of texts) {
      for (const padding of [PADDING, PADDING / 2, 10, 0]) {
        const caller = await authenticate(padded(text, padding), 'production', keys);
        expect(caller).toHaveProperty('keyId');
      }
    }
    // One look-up for all padded keys; the unpadded header is cached in the same form.
    expect(lookUps()).toBe(KEYS);
    const grown = heapUsed() - before;
    expect(grown).toBeLessThan((KEYS * PADDING) / 4);
    expect(keys.recent(`Bearer ${texts[0]}`)).toBeDefined();
  });
});
