import { expect, test } from 'bun:test';
import { type CacheSlot, createResponseStore } from '../../../src/api/cache/response-store.ts';
import type { MaybePromise } from '../../../src/domain/maybe-promise.ts';
import type { TextResponse } from '../../../src/http/response.ts';

const responseWith = (body: string) => ({ status: 200, body, headers: {} });
const slot = (): CacheSlot => ({ cached: undefined, weight: 0 });
const heavySlot = (): CacheSlot => ({ cached: undefined, weight: 16_384 });
const bodyOf = (found: MaybePromise<TextResponse> | undefined) =>
  found instanceof Promise ? 'still to come' : found?.body;
const MORE_THAN_KEPT = 10_001;
const MEBI = 1_048_576;

test('a response is stored until the version changes, and never comes back', () => {
  const responses = createResponseStore();
  const [first, second] = [slot(), slot()];
  responses.store(first, 1, responseWith('one'));
  responses.store(second, 1, responseWith('two'));
  expect(bodyOf(responses.find(first, 1))).toBe('one');
  expect(responses.find(second, 2)).toBeUndefined();
  expect(responses.find(first, 2)).toBeUndefined();
  // A version never returns, so neither may its responses.
  expect(responses.find(first, 1)).toBeUndefined();
  responses.store(first, 3, responseWith('three'));
  expect(bodyOf(responses.find(first, 3))).toBe('three');
});

test('the number of stored responses is bounded', () => {
  const responses = createResponseStore();
  const slots = Array.from({ length: MORE_THAN_KEPT }, slot);
  for (const [i, one] of slots.entries()) responses.store(one, 1, responseWith(String(i)));
  expect(slots.filter(({ cached }) => cached !== undefined)).toHaveLength(1);
  expect(bodyOf(responses.find(slots.at(-1) ?? slot(), 1))).toBe(String(MORE_THAN_KEPT - 1));
});

test('the characters of stored bodies are bounded', () => {
  const responses = createResponseStore();
  const slots = Array.from({ length: 64 }, slot);
  const long = 'x'.repeat(MEBI);
  for (const one of slots) responses.store(one, 1, responseWith(long));
  expect(slots.filter(({ cached }) => cached !== undefined)).toHaveLength(32);
  responses.store(slot(), 1, responseWith('one more'));
  expect(slots.filter(({ cached }) => cached !== undefined)).toBeEmpty();
});

test('the slot and the headers of a response count too, also while it is still being made', () => {
  const link = { link: 'x'.repeat(16_384) };
  const storeEach = (response: () => MaybePromise<TextResponse>, makeSlot: () => CacheSlot) => {
    const responses = createResponseStore();
    const slots = Array.from({ length: 2_049 }, makeSlot);
    for (const one of slots) responses.store(one, 1, response());
    return slots.filter(({ cached }) => cached !== undefined).length;
  };
  // 32 Mi characters have room for 2,048 of them.
  expect(storeEach(() => responseWith(''), heavySlot)).toBe(1);
  expect(storeEach(() => ({ ...responseWith(''), headers: link }), slot)).toBe(1);
  expect(storeEach(() => new Promise(() => {}), heavySlot)).toBe(1);
});

test('a response that is still being made is shared, then stored', async () => {
  const responses = createResponseStore();
  const own = slot();
  const { promise, resolve } = Promise.withResolvers<TextResponse>();
  responses.store(own, 1, promise);
  expect(responses.find(own, 1)).toBe(promise);
  resolve(responseWith('one'));
  await promise;
  await Bun.sleep(0);
  expect(bodyOf(responses.find(own, 1))).toBe('one');
});

test('a response that resolves after a change, or rejects, is dropped', async () => {
  const responses = createResponseStore();
  const [late, failed, old] = [slot(), slot(), slot()];
  const { promise, resolve } = Promise.withResolvers<TextResponse>();
  responses.store(late, 1, promise);
  expect(responses.find(late, 2)).toBeUndefined();
  responses.store(failed, 2, Promise.reject(new Error('lost')));
  // A request that waited has an older version.
  responses.store(old, 1, responseWith('old'));
  resolve(responseWith('late'));
  await promise;
  await Bun.sleep(0);
  for (const one of [late, failed, old]) expect(responses.find(one, 2)).toBeUndefined();
});

test('responses that resolve later count toward the bound too', async () => {
  const responses = createResponseStore();
  const slots = Array.from({ length: 40 }, slot);
  for (const one of slots) responses.store(one, 1, Promise.resolve(responseWith('x'.repeat(MEBI))));
  await Bun.sleep(0);
  expect(slots.filter(({ cached }) => cached !== undefined).length).toBeWithin(1, 33);
});
