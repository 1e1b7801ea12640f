import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type TimeUnit, timeBetween } from '../../src/domain/age.ts';

describe('the time between two dates', () => {
  test.each<[string, string, TimeUnit | undefined, readonly [number, TimeUnit]]>([
    ['2026-02-24', '2026-11-24', undefined, [9, 'month']],
    ['2026-02-25', '2026-11-24', undefined, [8, 'month']],
    ['2026-10-25', '2026-11-24', undefined, [30, 'day']],
    ['2026-10-24', '2026-11-24', undefined, [1, 'month']],
    ['2024-11-25', '2026-11-24', undefined, [23, 'month']],
    ['2024-11-24', '2026-11-24', undefined, [2, 'year']],
    ['2026-11-24', '2026-11-24', undefined, [0, 'day']],
    // Somewhere on Earth it is already tomorrow.
    ['2026-11-25', '2026-11-24', undefined, [0, 'day']],
    ['2026-11-25', '2026-11-24', 'month', [0, 'month']],
    ['2026-11-01', '2026-11-24', 'month', [0, 'month']],
    ['2025-01-01', '2026-11-24', 'month', [22, 'month']],
    ['2025-01-01', '2026-11-24', 'year', [1, 'year']],
    ['2026-01-01', '2026-11-24', 'year', [0, 'year']],
  ])('%s to %s, in %p or more', (from, to, smallest, expected) =>
    expect(timeBetween(from, to, smallest)).toEqual(expected),
  );

  test('grows by one month with each month of the calendar', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1, max: 28 }),
        (months, day) => {
          const to = new Date(Date.UTC(2024, months, day)).toISOString().slice(0, 10);
          const from = `2024-01-${String(day).padStart(2, '0')}`;
          expect(timeBetween(from, to, 'month')).toEqual([months, 'month']);
        },
      ),
    );
  });
});
