import { expect, test } from 'bun:test';
import { weekAt, weekName } from '../../src/domain/stats.ts';

test.each([
  ['2026-11-22T23:59:59.999Z', '2026-W47'],
  ['2026-11-23T00:00:00.000Z', '2026-W48'],
  ['2026-12-31T12:00:00.000Z', '2026-W53'],
  ['2027-01-03T23:59:59.999Z', '2026-W53'],
  ['2027-01-04T00:00:00.000Z', '2027-W01'],
  ['2024-12-30T00:00:00.000Z', '2025-W01'],
  ['2021-01-03T00:00:00.000Z', '2020-W53'],
  ['1970-01-01T00:00:00.000Z', '1970-W01'],
])('%s lies in the ISO week %s', (time, name) => {
  expect(weekName(weekAt(Date.parse(time)))).toBe(name);
});
