import { expect, test } from 'bun:test';
import { createBusiestKeys } from '../../src/telemetry/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { startPetstore } from '../support/start.ts';

function createList() {
  let time = 0;
  const list = createBusiestKeys(() => time);
  return {
    ...list,
    advance(milliseconds: number) {
      time += milliseconds;
    },
    shown: () =>
      list.metrics.flatMap((metric) =>
        metric.type === 'gauge' ? [...metric.samples()].map(([{ key }, rate]) => [key, rate]) : [],
      ),
  };
}

test('shows the ten keys with the most requests, and no more', () => {
  const list = createList();
  for (let id = 1n; id <= 50n; id++) list.note(id, 60 * Number(id));
  expect(list.shown()).toEqual(Array.from({ length: 10 }, (_, n) => [String(50 - n), 50 - n]));
});

test('shows a steady rate as it is, and forgets keys that send nothing', () => {
  const list = createList();
  for (let second = 0; second < 600; second++) {
    list.advance(1_000);
    list.note(7n, 30);
  }
  const [[key, rate] = []] = list.shown();
  expect(key).toBe('7');
  expect(Number(rate)).toBeCloseTo(30, 0);
  list.advance(3_600_000);
  expect(list.shown()).toEqual([]);
});

test('takes bounded memory, and a busy key of many still counts', () => {
  const list = createList();
  for (let id = 1n; id <= 10_000n; id++) list.note(id, 60);
  list.note(10_001n, 6_000);
  expect(list.shown().map(([key]) => key)).not.toContain('10001');
  list.advance(3_600_000);
  list.note(10_001n, 6_000);
  expect(list.shown()).toEqual([['10001', 100]]);
});

test('are in the metrics by id, not by name', async () => {
  await using petstore = await startPetstore();
  const { id, client } = await petstore.keyWith({ name: 'Maria" } 1\n' });
  for (let i = 0; i < 120; i++) await client.get('/v1/pets');
  const read = async () => await (await fetch(petstore.metricsUrl)).text();
  const text = await eventually(read, (found) => found.includes(`{key="${id}"}`));
  expect(text).not.toContain('Maria');
});
