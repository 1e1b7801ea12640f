import { expect, test } from 'bun:test';
import {
  type CacheRequest,
  createResponseCache,
  emptySlot,
} from '../../../src/api/cache/response-cache.ts';
import { dependsOnRecord } from '../../../src/api/contract/dependency.ts';
import { operations } from '../../../src/api/resources/operations.ts';
import type { ChangeObserver } from '../../../src/domain/change-log.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import type { MaybePromise } from '../../../src/domain/maybe-promise.ts';

/** A cache on a storage whose next `catchUp` the test decides, and a client of one target. */
function open() {
  const state: { next: MaybePromise<boolean>; observer?: ChangeObserver } = { next: true };
  const lookups = { hits: 0, misses: 0 };
  const cache = createResponseCache(
    {
      trackChanges(observer) {
        state.observer = observer;
        return { catchUp: () => state.next };
      },
    },
    lookups,
    systemClock,
  );
  const target = { ...emptySlot(), weight: 0, isCached: true };
  const operation = operations.find(({ id }) => id === 'getPet');
  let made = 0;
  async function get(): Promise<string | null> {
    const request: CacheRequest = { operation, target, isCaughtUp: false };
    cache.begin(request);
    const response = await cache.answer(request, () => ({
      response: { status: 200, body: `response ${++made}`, headers: {} },
      dependsOn: dependsOnRecord('pet', 7n),
    }));
    return response.body;
  }
  const change = () =>
    state.observer?.changed({
      type: 'pet.updated',
      pet: { id: 7n, name: 'Rex', categoryId: 1n, status: 'sold' },
    });
  return { state, lookups, get, change };
}

test('while the changes cannot be known, nothing is taken from the cache or stored in it', async () => {
  const { state, lookups, get } = open();
  expect(await get()).toBe('response 1');
  for (const unknown of [false, Promise.resolve(false)]) {
    state.next = unknown;
    expect(await get()).not.toBe('response 1');
  }
  expect(lookups).toEqual({ hits: 0, misses: 1 });
  state.next = true;
  expect(await get()).toBe('response 1');
  expect(lookups).toEqual({ hits: 1, misses: 1 });
});

test('a request waits until the changes before it are reported', async () => {
  const { state, get, change } = open();
  expect(await get()).toBe('response 1');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  state.next = promise;
  const waiting = get();
  await Bun.sleep(0);
  change();
  resolve(true);
  expect(await waiting).toBe('response 2');
  // Others that did not wait get the response that was made after the change.
  state.next = true;
  expect(await get()).toBe('response 2');
});
