import { beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import type { HourUsage, UsagePeriod, UsageRange } from '../../../src/domain/usage.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const MIDNIGHT = Date.UTC(2026, 10, 22);
const NONE = { requests: 0, refused: 0, errors: 0 };

function hour(keyId: bigint, start: number, counts: Partial<HourUsage> = {}): HourUsage {
  return { keyId, start, ...NONE, ...counts };
}

function during(period: UsagePeriod, from: number, to: number): UsageRange {
  return { period, from, to };
}

const bothDays = (period: UsagePeriod) => during(period, MIDNIGHT - DAY_MS, MIDNIGHT + DAY_MS);

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));
  beforeEach(async () => {
    for (const name of ['one', 'two', 'three']) {
      await subject.storage.keys.create(newKey({ name }));
    }
  });

  describe('usage', () => {
    test('is summed by hour and by day of UTC', async () => {
      const { usage } = subject.storage;
      await usage.add([
        hour(1n, MIDNIGHT - HOUR_MS, { requests: 5, errors: 1 }),
        hour(1n, MIDNIGHT, { requests: 2, refused: 7 }),
        hour(1n, MIDNIGHT + HOUR_MS, { requests: 1 }),
        hour(2n, MIDNIGHT, { requests: 100 }),
      ]);
      await usage.add([hour(1n, MIDNIGHT, { requests: 10, errors: 3 })]);
      await usage.add([]);
      expect(await usage.list(1n, bothDays('hour'))).toEqual([
        { start: MIDNIGHT - HOUR_MS, requests: 5, refused: 0, errors: 1 },
        { start: MIDNIGHT, requests: 12, refused: 7, errors: 3 },
        { start: MIDNIGHT + HOUR_MS, requests: 1, refused: 0, errors: 0 },
      ]);
      expect(await usage.list(1n, bothDays('day'))).toEqual([
        { start: MIDNIGHT - DAY_MS, requests: 5, refused: 0, errors: 1 },
        { start: MIDNIGHT, requests: 13, refused: 7, errors: 3 },
      ]);
      expect(await usage.list(undefined, bothDays('day'))).toEqual([
        { start: MIDNIGHT - DAY_MS, requests: 5, refused: 0, errors: 1 },
        { start: MIDNIGHT, requests: 113, refused: 7, errors: 3 },
      ]);
      expect(await usage.list(3n, bothDays('day'))).toEqual([]);
    });

    test('shows the busiest keys first, refusals included', async () => {
      const { usage } = subject.storage;
      await usage.add([
        hour(1n, MIDNIGHT, { requests: 10 }),
        hour(2n, MIDNIGHT, { requests: 4, refused: 7 }),
        hour(3n, MIDNIGHT, { requests: 10 }),
        hour(3n, MIDNIGHT - 2 * DAY_MS, { requests: 1_000 }),
      ]);
      expect(await usage.busiest(bothDays('day'), 2)).toEqual([
        { keyId: 2n, requests: 4, refused: 7, errors: 0 },
        { keyId: 1n, requests: 10, refused: 0, errors: 0 },
      ]);
      expect(await usage.busiest(during('day', 0, 1), 10)).toEqual([]);
    });

    test('of a key that does not exist is dropped, and that of others kept', async () => {
      const { usage } = subject.storage;
      await usage.add([hour(99n, MIDNIGHT, { requests: 1 }), hour(1n, MIDNIGHT, { requests: 2 })]);
      expect(await usage.list(99n, bothDays('day'))).toEqual([]);
      expect(await usage.list(undefined, bothDays('day'))).toMatchObject([{ requests: 2 }]);
    });

    test('of several processes at once is summed', async () => {
      await using second = await subject.another();
      const storages = [subject.storage, second.storage];
      const added = Array.from({ length: 20 }, async (_, n) => {
        const hours = [2n, 1n, 3n].map((keyId) => hour(keyId, MIDNIGHT, { requests: 1 }));
        await storages[n % 2]?.usage.add(n % 3 === 0 ? hours.toReversed() : hours);
      });
      await Promise.all(added);
      const { usage } = subject.storage;
      for (const keyId of [1n, 2n, 3n]) {
        expect(await usage.list(keyId, bothDays('hour'))).toMatchObject([{ requests: 20 }]);
      }
    });

    test('that is too old is removed in steps, hours and days separately', async () => {
      const { usage } = subject.storage;
      const hours = [0, 1, 2].map((n) => MIDNIGHT + n * HOUR_MS);
      await usage.add(hours.map((start) => hour(1n, start, { requests: 1 })));
      const before = MIDNIGHT + 2 * HOUR_MS;
      expect(await usage.removeExpired('hour', before, 1)).toBe(1);
      expect(await usage.removeExpired('hour', before, 5)).toBe(1);
      expect(await usage.removeExpired('hour', before, 5)).toBe(0);
      expect(await usage.list(1n, bothDays('hour'))).toMatchObject([{ start: before }]);
      expect(await usage.list(1n, bothDays('day'))).toMatchObject([{ requests: 3 }]);
      expect(await usage.removeExpired('day', MIDNIGHT + 1, 5)).toBe(1);
      expect(await usage.list(1n, bothDays('day'))).toEqual([]);
    });
  });
});
