import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { costsOf, responsesPerSecond, type WorkerCosts } from '../../bench/more-cores.ts';

const time = fc.double({ min: 1, max: 1_000, noNaN: true });

describe('the costs of additions', () => {
  test('of the own clients and of those of others are told apart', () => {
    // Of two additions with two workers, one costs 100 as with one worker, the other 60 and 50.
    const costs = costsOf(20, { one: 100, two: 105, twoOnWriter: 80 });
    expect(costs).toEqual({ read: 20, addition: 100, forwarded: { writer: 60, worker: 50 } });
  });
});

describe('the responses a second of a machine', () => {
  const costs: WorkerCosts = { read: 20, addition: 100, forwarded: { writer: 60, worker: 50 } };

  test('grow with the cores as long as nobody writes', () => {
    expect([1, 2, 16].map((cores) => responsesPerSecond(costs, 0, cores))).toEqual([
      ...[50_000, 100_000, 800_000],
    ]);
  });

  test('are bounded by the thread that writes', () => {
    expect(responsesPerSecond(costs, 1, 1)).toBe(10_000);
    // 16 threads, of which one writes for all: 1/16 of 100, and 15/16 of 60 microseconds.
    expect(responsesPerSecond(costs, 1, 16)).toBeCloseTo(1_000_000 / 62.5, 6);
  });

  test('are never more than the writes allow, nor than the cores', () => {
    fc.assert(
      fc.property(time, time, time, time, fc.integer({ min: 2, max: 64 }), (...values) => {
        const [read, addition, writer, worker, cores] = values;
        const any = { read, addition, forwarded: { writer, worker } };
        const rate = responsesPerSecond(any, 0.05, cores);
        const cheapest = 0.95 * read + 0.05 * Math.min(addition, writer + worker);
        expect(rate * cheapest).toBeLessThanOrEqual(1_000_000 * cores * 1.000001);
        expect(rate * 0.05 * Math.min(addition, writer)).toBeLessThanOrEqual(1_000_001);
      }),
    );
  });
});
