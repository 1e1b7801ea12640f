import { expect, test } from 'bun:test';
import { createReportedChanges } from '../../../src/api/cache/reported-changes.ts';
import {
  type CacheSlot,
  createResponseStore,
  emptySlot,
  type MadeResponse,
} from '../../../src/api/cache/response-store.ts';
import { dependsOnRecord } from '../../../src/api/contract/dependency.ts';
import type { MaybePromise } from '../../../src/domain/maybe-promise.ts';
import type { TextResponse } from '../../../src/http/response.ts';

const responseWith = (body: string): TextResponse => ({ status: 200, body, headers: {} });
/** A response that depends on animal 1 alone. */
const madeWith = (body: string): MadeResponse => ({
  response: responseWith(body),
  dependsOn: { ...dependsOnRecord('pet', 1n), ids: [] },
});
const slot = (weight = 0): CacheSlot => ({ ...emptySlot(), weight });
const bodyOf = (found: MaybePromise<TextResponse> | undefined) =>
  found instanceof Promise ? 'still to come' : found?.body;
const filledOf = (slots: readonly CacheSlot[]) =>
  slots.filter(({ cached }) => cached !== undefined).length;
const settled = () => Bun.sleep(0);
const MORE_THAN_KEPT = 10_001;
const MEBI = 1_048_576;

function open() {
  const changes = createReportedChanges();
  const responses = createResponseStore(changes);
  /** Animal 1 changes. */
  const change = (id = 1n) =>
    changes.changed({
      type: 'pet.updated',
      pet: { id, name: 'Rex', categoryId: 1n, status: 'sold' },
    });
  return { changes, responses, change };
}

/** A response that is made when `resolve` is called. */
function late() {
  const { promise, resolve } = Promise.withResolvers<MadeResponse>();
  return { make: () => promise, resolve: (body: string) => resolve(madeWith(body)) };
}

test('a response is stored until a change alters it, and never comes back', () => {
  const { responses, change, changes } = open();
  const [first, second] = [slot(), slot()];
  expect(responses.find(first)).toBeUndefined();
  expect(bodyOf(responses.fill(first, () => madeWith('one')))).toBe('one');
  void responses.fill(second, () => madeWith('two'));
  expect(bodyOf(responses.find(first))).toBe('one');
  change(2n);
  expect(bodyOf(responses.find(first))).toBe('one');
  change();
  expect(responses.find(second)).toBeUndefined();
  expect(responses.find(first)).toBeUndefined();
  expect(responses.find(first)).toBeUndefined();
  void responses.fill(first, () => madeWith('three'));
  expect(bodyOf(responses.find(first))).toBe('three');
  changes.lost();
  expect(responses.find(first)).toBeUndefined();
});

test('a response without a dependency is not stored', async () => {
  const { responses } = open();
  const [now, later] = [slot(), slot()];
  const made = { ...madeWith('one'), dependsOn: undefined };
  expect(bodyOf(responses.fill(now, () => made))).toBe('one');
  void responses.fill(later, () => Promise.resolve(made));
  await settled();
  expect([responses.find(now), responses.find(later)]).toEqual([undefined, undefined]);
});

test('the number of stored responses is bounded', () => {
  const { responses } = open();
  const slots = Array.from({ length: MORE_THAN_KEPT }, () => slot());
  for (const [i, one] of slots.entries()) void responses.fill(one, () => madeWith(String(i)));
  expect(filledOf(slots)).toBe(1);
  expect(bodyOf(responses.find(slots.at(-1) ?? slot()))).toBe(String(MORE_THAN_KEPT - 1));
});

test('the characters of stored bodies are bounded', () => {
  const { responses } = open();
  const slots = Array.from({ length: 64 }, () => slot());
  const long = 'x'.repeat(MEBI);
  for (const one of slots) void responses.fill(one, () => madeWith(long));
  expect(filledOf(slots)).toBe(32);
  void responses.fill(slot(), () => madeWith('one more'));
  expect(filledOf(slots)).toBe(0);
});

test('a response that replaces another counts once', () => {
  const { responses, change } = open();
  const [own, other] = [slot(), slot(1)];
  const unaltered = { response: responseWith('other'), dependsOn: dependsOnRecord('pet', 7n) };
  void responses.fill(other, () => unaltered);
  const long = 'x'.repeat(MEBI);
  for (let i = 0; i < MORE_THAN_KEPT; i++) {
    void responses.fill(own, () => madeWith(long));
    if (i % 2 === 0) change();
    if (i % 4 === 0) expect(responses.find(own)).toBeUndefined();
    // Read often, or the changes since the last time are not kept.
    if (i % 1_000 === 0) expect(bodyOf(responses.find(other))).toBe('other');
  }
});

test('the slot, the headers and the ids of a response count too, also while it is being made', () => {
  const link = { link: 'x'.repeat(16_384) };
  const ids = Array.from({ length: 2_048 }, (_, id) => id);
  const storeEach = (made: () => MaybePromise<MadeResponse>, weight = 0) => {
    const { responses } = open();
    const slots = Array.from({ length: 2_049 }, () => slot(weight));
    for (const one of slots) void responses.fill(one, made);
    return filledOf(slots);
  };
  // 32 Mi characters have room for 2,048 of them.
  expect(storeEach(() => madeWith(''), 16_384)).toBe(1);
  const headers = { ...madeWith(''), response: { ...responseWith(''), headers: link } };
  expect(storeEach(() => headers)).toBe(1);
  expect(storeEach(() => new Promise(() => {}), 16_384)).toBe(1);
  const dependsOn = { ...dependsOnRecord('pet', 1n), ids };
  expect(storeEach(() => ({ ...madeWith(''), dependsOn }))).toBe(1);
});

test('a response that is still being made is shared, then stored', async () => {
  const { responses } = open();
  const own = slot();
  const { make, resolve } = late();
  const promise = responses.fill(own, make);
  expect(responses.find(own)).toBe(promise);
  resolve('one');
  expect((await promise).body).toBe('one');
  await settled();
  expect(bodyOf(responses.find(own))).toBe('one');
});

test('a response is not shared after a change, and stored only if no change altered it', async () => {
  const { responses, change } = open();
  const [altered, unaltered, failed] = [slot(), slot(), slot()];
  const [one, other] = [late(), late()];
  void responses.fill(altered, one.make);
  change();
  void responses.fill(unaltered, other.make);
  change(2n);
  for (const each of [altered, unaltered]) expect(responses.find(each)).toBeUndefined();
  const refused = responses.fill(failed, () => Promise.reject(new Error('lost')));
  await expect(Promise.resolve(refused)).rejects.toThrow('lost');
  one.resolve('one');
  other.resolve('other');
  await settled();
  expect(responses.find(altered)).toBeUndefined();
  expect(bodyOf(responses.find(unaltered))).toBe('other');
  expect(responses.find(failed)).toBeUndefined();
});

test('changes between all requests for one target do not keep its response from being stored', async () => {
  const { responses, change } = open();
  const own = slot();
  const made = [late(), late(), late()];
  for (const { make } of made) {
    expect(responses.find(own)).toBeUndefined();
    void responses.fill(own, make);
    change(2n);
  }
  made[0]?.resolve('the first');
  await settled();
  // Though the third is still being made.
  expect(bodyOf(responses.find(own))).toBe('the first');
});

test('of two responses for one target, the one that is made last does not replace a newer one', async () => {
  const { responses, change } = open();
  const own = slot();
  const [early, newer] = [late(), late()];
  void responses.fill(own, early.make);
  change();
  void responses.fill(own, newer.make);
  newer.resolve('newer');
  await settled();
  early.resolve('early');
  await settled();
  expect(bodyOf(responses.find(own))).toBe('newer');
});

test('responses that resolve later count toward the bound too', async () => {
  const { responses } = open();
  const slots = Array.from({ length: 40 }, () => slot());
  for (const one of slots) {
    void responses.fill(one, () => Promise.resolve(madeWith('x'.repeat(MEBI))));
  }
  await settled();
  expect(filledOf(slots)).toBeWithin(1, 33);
});
