import { expect, test } from 'bun:test';
import { onceASecond } from '../../src/telemetry/log.ts';

test('one call a second goes through, with the number of those that did not', () => {
  let now = 0;
  const calls: [number, string][] = [];
  const call = onceASecond(
    (suppressed, what: string) => calls.push([suppressed, what]),
    () => now,
  );
  for (const [at, what] of [
    [0, 'a'],
    [1, 'b'],
    [999, 'c'],
    [1_000, 'd'],
    [1_999, 'e'],
    [5_000, 'f'],
    [6_000, 'g'],
  ] as const) {
    now = at;
    call(what);
  }
  expect(calls).toEqual([
    [0, 'a'],
    [2, 'd'],
    [1, 'f'],
    [0, 'g'],
  ]);
});
