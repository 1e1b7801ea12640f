import { expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../src/domain/clock.ts';
import { unavailable } from '../../src/domain/failure.ts';
import {
  type HourUsage,
  periodStart,
  type UsageCounter,
  type UsageCounts,
  type UsageStorage,
} from '../../src/domain/usage.ts';
import { createUsageCounter } from '../../src/limits/usage-counter.ts';
import { inDoubt } from '../../src/storage/postgres/faults.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const TODAY = { period: 'day', from: NOON - 12 * HOUR_MS, to: NOON + 12 * HOUR_MS } as const;
const HOURS = { ...TODAY, period: 'hour' } as const;

const OUTCOMES = ['requests', 'refused', 'errors'] as const;

const flushOf = async (usage: UsageCounter) => await usage.flush();

/** A storage that remembers what was added, and fails when told to. */
function createRecorder() {
  const added: HourUsage[][] = [];
  let fail: (() => void) | undefined;
  const storage: UsageStorage = {
    async add(usage) {
      await Promise.resolve();
      fail?.();
      added.push(usage.map((each) => ({ ...each })));
    },
    async list(keyId, { period, from, to }) {
      const sums = new Map<number, Record<keyof UsageCounts, number>>();
      for (const { keyId: ofKey, start: hour, ...counts } of added.flat()) {
        const start = periodStart(period, hour);
        if (ofKey !== keyId || start < from || start >= to) continue;
        const sum = sums.get(start) ?? { requests: 0, refused: 0, errors: 0 };
        for (const outcome of OUTCOMES) sum[outcome] += counts[outcome];
        sums.set(start, sum);
      }
      return Array.from(sums, ([start, sum]) => ({ start, ...sum }));
    },
    busiest: async () => [],
    removeExpired: async () => 0,
  };
  return {
    storage,
    added,
    failWith(error: unknown) {
      fail = () => {
        throw error;
      };
    },
    recover() {
      fail = undefined;
    },
    requests: () => added.flat().reduce((sum, { requests }) => sum + requests, 0),
  };
}

test('counts by key and hour are stored once', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  await usage.flush();
  expect(recorder.added).toEqual([]);
  for (let i = 0; i < 3; i++) usage.count(1n, NOON + i, 'requests');
  usage.count(1n, NOON + HOUR_MS - 1, 'errors');
  usage.count(2n, NOON, 'refused');
  usage.count(1n, NOON + HOUR_MS, 'requests');
  await usage.flush();
  await usage.flush();
  expect(recorder.added).toHaveLength(1);
  expect(recorder.added[0]).toEqual(
    expect.arrayContaining([
      { keyId: 1n, start: NOON, requests: 3, refused: 0, errors: 1 },
      { keyId: 1n, start: NOON + HOUR_MS, requests: 1, refused: 0, errors: 0 },
      { keyId: 2n, start: NOON, requests: 0, refused: 1, errors: 0 },
    ]),
  );
});

test('a clock that is set back and forth loses nothing, and stores each hour once', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  for (let i = 0; i < 10; i++) usage.count(1n, NOON - (i % 2), 'requests');
  await usage.flush();
  expect(recorder.added[0]).toHaveLength(2);
  expect(recorder.added.flat().map(({ requests }) => requests)).toEqual([5, 5]);
});

test('counts that could not be stored are stored later, with those that came meanwhile', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  recorder.failWith(unavailable(new Error('no space')));
  usage.count(1n, NOON, 'requests');
  await expect(flushOf(usage)).rejects.toThrow(/cannot reach its database/);
  usage.count(1n, NOON, 'requests');
  usage.count(1n, NOON + HOUR_MS, 'requests');
  await expect(flushOf(usage)).rejects.toThrow();
  recorder.recover();
  await usage.flush();
  await usage.flush();
  expect(recorder.added.flat().map(({ requests }) => requests)).toEqual([2, 1]);
});

test('counts whose commit is in doubt are not stored a second time', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  recorder.failWith(inDoubt(new Error('connection lost')));
  usage.count(1n, NOON, 'requests');
  await expect(flushOf(usage)).rejects.toThrow();
  recorder.recover();
  usage.count(2n, NOON, 'requests');
  await usage.flush();
  expect(recorder.added.flat()).toMatchObject([{ keyId: 2n, requests: 1 }]);
});

test('many keys are stored in slices, and a slice that was stored is not stored again', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  for (let id = 1n; id <= 600n; id++) usage.count(id, NOON, 'requests');
  const flushing = flushOf(usage);
  while (recorder.added.length < 2) await Promise.resolve();
  recorder.failWith(unavailable(new Error('no space')));
  await expect(flushing).rejects.toThrow();
  expect(recorder.added.map(({ length }) => length)).toEqual([250, 250]);
  recorder.recover();
  await usage.flush();
  expect(recorder.requests()).toBe(600);
});

test('a list has counts that are not stored yet, even while they are being stored', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  usage.count(1n, NOON, 'requests');
  expect(await usage.list(1n, HOURS)).toEqual([
    { start: NOON, requests: 1, refused: 0, errors: 0 },
  ]);
  const flushing = flushOf(usage);
  usage.count(1n, NOON + 5, 'errors');
  usage.count(2n, NOON, 'requests');
  expect(await usage.list(1n, HOURS)).toMatchObject([{ requests: 1, errors: 1 }]);
  await flushing;
  usage.count(1n, NOON - HOUR_MS, 'refused');
  expect(await usage.list(1n, { ...TODAY, from: TODAY.from - DAY_MS })).toMatchObject([
    { start: TODAY.from, requests: 1, refused: 1, errors: 1 },
  ]);
  expect(await usage.list(1n, { ...HOURS, to: NOON })).toMatchObject([{ refused: 1 }]);
});

test('an endless outage takes bounded memory', async () => {
  const recorder = createRecorder();
  const usage = createUsageCounter(recorder.storage);
  recorder.failWith(unavailable(new Error('no space')));
  for (let id = 1n; id <= 100_005n; id++) usage.count(id, NOON, 'requests');
  await expect(flushOf(usage)).rejects.toThrow();
  usage.count(1n, NOON, 'requests');
  recorder.recover();
  await usage.flush();
  expect(recorder.requests()).toBe(100_001);
});
