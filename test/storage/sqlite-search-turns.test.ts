import { beforeEach, expect, test } from 'bun:test';
import { INSIDE } from '../../src/storage/sqlite/access.ts';
import { inTurns } from '../../src/storage/sqlite/search-turns.ts';
import { nextTurn } from './change-recorder.ts';

let now: number;
let ran: string[];
beforeEach(async () => {
  await nextTurn();
  now = 0;
  ran = [];
});

/** A search takes 6 ms. */
const search = inTurns(INSIDE.read, () => now);
const start = (name: string) =>
  search(() => {
    now += 6;
    if (name === 'broken') throw new Error(name);
    ran.push(name);
  });

test('a search that has time left is done at once', () => {
  void start('rex');
  expect(ran).toEqual(['rex']);
});

test('many searches leave turns of the event loop to other requests', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `rex ${n}`);
  const searches = names.map(start);
  const turns: number[] = [];
  for (let before = 0; ran.length < 60; before = now) {
    turns.push(now - before);
    await nextTurn();
  }
  expect(Math.max(...turns)).toBeLessThanOrEqual(24);
  expect(ran).toEqual(names);
  expect(await Promise.all(searches)).toHaveLength(60);
});

test('a search that fails in its turn fails alone', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'broken', 'f'];
  const outcomes = await Promise.allSettled(names.map((name) => start(name)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(ran).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});
