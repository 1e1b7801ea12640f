import { expect, test } from 'bun:test';
import { createKeyCache } from '../../src/auth/credential-cache.ts';
import type { ApiKey, KeyStorage } from '../../src/domain/api-key.ts';
import { createTestClock } from '../support/clock.ts';

/** Look-ups that a test resolves, in the order they started. */
function createSubject() {
  const lookUps: PromiseWithResolvers<ApiKey | undefined>[] = [];
  // Only the method that a look-up calls.
  const storage = {
    findByHash() {
      const lookUp = Promise.withResolvers<ApiKey | undefined>();
      lookUps.push(lookUp);
      return lookUp.promise;
    },
  } as unknown as KeyStorage;
  const clock = createTestClock();
  return { keys: createKeyCache(storage, clock), lookUps, clock };
}

const KEY = { id: 1n, plan: 'free', scopes: ['read'], revokedAt: null, expiresAt: null };
// The members of a key that the key cache reads.
const found = (parts: Partial<ApiKey> = {}) => ({ ...KEY, ...parts }) as ApiKey;

test('concurrent requests with one key share a look-up', async () => {
  const { keys, lookUps } = createSubject();
  const callers = Array.from({ length: 100 }, () => keys.find('hash', 'Bearer key'));
  expect(lookUps).toHaveLength(1);
  lookUps[0]?.resolve(found());
  for (const caller of await Promise.all(callers)) expect(caller?.keyId).toBe(1n);
  expect(keys.recent('Bearer key')?.keyId).toBe(1n);
});

test('a key created during a look-up for it works at once', async () => {
  const { keys, lookUps } = createSubject();
  const first = keys.find('hash', 'Bearer key');
  const second = keys.find('hash', 'Bearer key');
  lookUps[0]?.resolve(undefined);
  expect(await first).toBeUndefined();
  lookUps[1]?.resolve(found());
  expect((await second)?.keyId).toBe(1n);
});

test('the result of a shared look-up is as old as the look-up', async () => {
  const { keys, lookUps, clock } = createSubject();
  const expiresAt = clock.now() + 400;
  const first = keys.find('hash', 'Bearer key');
  clock.advance(400);
  const second = keys.find('hash', 'Bearer key');
  lookUps[0]?.resolve(found({ expiresAt }));
  expect((await first)?.keyId).toBe(1n);
  expect(await second).toBeUndefined();
  clock.advance(100);
  expect(keys.recent('Bearer key')).toBeUndefined();
});

test('a failed look-up is not shared with later requests', async () => {
  const { keys, lookUps } = createSubject();
  const first = keys.find('hash', 'Bearer key');
  lookUps[0]?.reject(new Error('gone'));
  expect(await Promise.resolve(first).catch((error) => error.message)).toBe('gone');
  const second = keys.find('hash', 'Bearer key');
  lookUps[1]?.resolve(found());
  expect((await second)?.keyId).toBe(1n);
});
