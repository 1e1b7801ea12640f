import { expect, test } from 'bun:test';
import { createRecentChanges } from '../../../src/api/cache/reported-changes.ts';

/** 64 blocks of 64 changes. */
const KEPT = 4_096;
const BLOCK = 64;
const LOOKS = 200;
const every = { lowestId: 0, highestId: Infinity };
const only = (id: number) => ({ lowestId: id, highestId: id });

/** Adds changes of the animals `first` to `last`; the version of each is its id. */
function added(first: number, last: number) {
  const changes = createRecentChanges<string>();
  for (let id = first; id <= last; id++) changes.add(id, { id, after: String(id) });
  return changes;
}

test('a change is found by the versions before it, in any range that holds its id', () => {
  for (const count of [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 1]) {
    const changes = added(1, count);
    for (let id = 1; id <= count; id++) {
      const isFound = (version: number, range = only(id)) =>
        changes.someAfter(version, range, (change) => change.after === String(id));
      expect([isFound(0), isFound(id - 1), isFound(id), isFound(count)]).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect(isFound(id - 1, { lowestId: id - 1, highestId: id })).toBe(true);
      expect(isFound(id - 1, { lowestId: id, highestId: Infinity })).toBe(true);
      expect(isFound(0, { lowestId: id + 1, highestId: Infinity })).toBe(false);
      expect(isFound(0, { lowestId: 0, highestId: id - 1 })).toBe(false);
    }
  }
});

test('a block is searched if any of its ids is in the range, in whatever order they came', () => {
  const changes = createRecentChanges<string>();
  const ids = [50, 9, 70, 3, 90, 40];
  for (const [i, id] of ids.entries()) changes.add(i + 1, { id, after: String(id) });
  for (const id of ids) expect(changes.someAfter(0, only(id), () => true)).toBe(true);
  for (const id of [2, 4, 41, 91]) {
    expect(changes.someAfter(0, only(id), () => true)).toBe(false);
  }
});

test('whether changes that are no longer kept mattered is unknown, so they did', () => {
  const nowhere = only(0);
  const isUnknown = (count: number, version: number) =>
    added(1, count).someAfter(version, nowhere, () => true);
  expect(isUnknown(KEPT, 0)).toBe(false);
  // The oldest block made room for a new one.
  expect(isUnknown(KEPT + 1, 0)).toBe(true);
  expect(isUnknown(KEPT + 1, BLOCK - 1)).toBe(true);
  expect(isUnknown(KEPT + 1, BLOCK)).toBe(false);
  expect(isUnknown(KEPT + BLOCK, BLOCK)).toBe(false);
  expect(isUnknown(KEPT + BLOCK + 1, BLOCK)).toBe(true);
  expect(isUnknown(3 * KEPT, 2 * KEPT - 1)).toBe(true);
  expect(isUnknown(3 * KEPT, 2 * KEPT)).toBe(false);
});

test('after changes were lost, nothing is known about the versions before', () => {
  const changes = added(1, 10);
  changes.forget(11);
  expect(changes.someAfter(10, only(0), () => true)).toBe(true);
  expect(changes.someAfter(11, every, () => true)).toBe(false);
  changes.add(12, { id: 7, after: undefined });
  expect(changes.someAfter(11, only(7), ({ after }) => after === undefined)).toBe(true);
  expect(changes.someAfter(12, every, () => true)).toBe(false);
});

test('a search compares a bounded number of changes, none outside of its range', () => {
  let looks = 0;
  const test = () => {
    looks++;
    return false;
  };
  const changes = added(1, KEPT);
  expect(changes.someAfter(0, { lowestId: 1, highestId: LOOKS }, test)).toBe(false);
  expect(looks).toBe(LOOKS);
  expect(changes.someAfter(0, { lowestId: 1, highestId: LOOKS + 1 }, test)).toBe(true);
  looks = 0;
  expect(changes.someAfter(0, every, test)).toBe(true);
  expect(looks).toBeLessThanOrEqual(LOOKS);
});
