import { expect, test } from 'bun:test';
import { createReadyAnswers, type ReadySlot } from '../../src/api/cache/response-cache.ts';
import type { TextResponse } from '../../src/api/pipeline/serialize.ts';
import type { MaybePromise } from '../../src/domain/maybe-promise.ts';

const answerOf = (body: string) => ({ status: 200, body, headers: {} });
const slot = (): ReadySlot => ({ ready: undefined, weight: 0 });
const heavySlot = (): ReadySlot => ({ ready: undefined, weight: 16_384 });
const bodyOf = (found: MaybePromise<TextResponse> | undefined) =>
  found instanceof Promise ? 'still to come' : found?.body;
const MORE_THAN_KEPT = 10_001;
const MEBI = 1_048_576;

test('an answer is ready until the version is another one, and never after', () => {
  const responses = createReadyAnswers();
  const [first, second] = [slot(), slot()];
  responses.keep(first, 1, answerOf('one'));
  responses.keep(second, 1, answerOf('two'));
  expect(bodyOf(responses.find(first, 1))).toBe('one');
  expect(responses.find(second, 2)).toBeUndefined();
  expect(responses.find(first, 2)).toBeUndefined();
  // No version comes again; nor may what belongs to one.
  expect(responses.find(first, 1)).toBeUndefined();
  responses.keep(first, 3, answerOf('three'));
  expect(bodyOf(responses.find(first, 3))).toBe('three');
});

test('however many are kept, not more than a bound stay in memory', () => {
  const responses = createReadyAnswers();
  const slots = Array.from({ length: MORE_THAN_KEPT }, slot);
  for (const [i, one] of slots.entries()) responses.keep(one, 1, answerOf(String(i)));
  expect(slots.filter(({ ready }) => ready !== undefined)).toHaveLength(1);
  expect(bodyOf(responses.find(slots.at(-1) ?? slot(), 1))).toBe(String(MORE_THAN_KEPT - 1));
});

test('however long they are, not more characters than a bound stay in memory', () => {
  const responses = createReadyAnswers();
  const slots = Array.from({ length: 64 }, slot);
  const long = 'x'.repeat(MEBI);
  for (const one of slots) responses.keep(one, 1, answerOf(long));
  expect(slots.filter(({ ready }) => ready !== undefined)).toHaveLength(32);
  responses.keep(slot(), 1, answerOf('one more'));
  expect(slots.filter(({ ready }) => ready !== undefined)).toBeEmpty();
});

test('what a slot and the fields of an answer hold counts as well, also of one still to come', () => {
  const link = { link: 'x'.repeat(16_384) };
  const keepEach = (response: () => MaybePromise<TextResponse>, makeSlot: () => ReadySlot) => {
    const responses = createReadyAnswers();
    const slots = Array.from({ length: 2_049 }, makeSlot);
    for (const one of slots) responses.keep(one, 1, response());
    return slots.filter(({ ready }) => ready !== undefined).length;
  };
  // 32 Mi characters have room for 2,048 of them.
  expect(keepEach(() => answerOf(''), heavySlot)).toBe(1);
  expect(keepEach(() => ({ ...answerOf(''), headers: link }), slot)).toBe(1);
  expect(keepEach(() => new Promise(() => {}), heavySlot)).toBe(1);
});

test('an answer that is still to come is shared, and then ready', async () => {
  const responses = createReadyAnswers();
  const own = slot();
  const { promise, resolve } = Promise.withResolvers<TextResponse>();
  responses.keep(own, 1, promise);
  expect(responses.find(own, 1)).toBe(promise);
  resolve(answerOf('one'));
  await promise;
  await Bun.sleep(0);
  expect(bodyOf(responses.find(own, 1))).toBe('one');
});

test('an answer that comes after a change, or not at all, is let go of', async () => {
  const responses = createReadyAnswers();
  const [late, failed, old] = [slot(), slot(), slot()];
  const { promise, resolve } = Promise.withResolvers<TextResponse>();
  responses.keep(late, 1, promise);
  expect(responses.find(late, 2)).toBeUndefined();
  responses.keep(failed, 2, Promise.reject(new Error('lost')));
  // Whoever waited comes with the version that he was told.
  responses.keep(old, 1, answerOf('old'));
  resolve(answerOf('late'));
  await promise;
  await Bun.sleep(0);
  for (const one of [late, failed, old]) expect(responses.find(one, 2)).toBeUndefined();
});

test('answers that come later keep to the bound of characters too', async () => {
  const responses = createReadyAnswers();
  const slots = Array.from({ length: 40 }, slot);
  for (const one of slots) responses.keep(one, 1, Promise.resolve(answerOf('x'.repeat(MEBI))));
  await Bun.sleep(0);
  expect(slots.filter(({ ready }) => ready !== undefined).length).toBeWithin(1, 33);
});
