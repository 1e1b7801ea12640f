import { expect, test } from 'bun:test';
import { longestLag } from './recovery.ts';

/** Times from one to another, every 100 ms. */
function every100(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / 100 + 1 }, (_, i) => from + i * 100);
}

test('the wait for the cluster does not count', () => {
  const commits = [...every100(0, 2_000), ...every100(22_000, 30_000)];
  expect(longestLag([...every100(0, 2_000), 22_700, ...every100(22_800, 30_000)], commits)).toBe(
    700,
  );
});

test('a pause while the cluster takes writes counts from the last write', () => {
  expect(longestLag([0, 1_000, 7_500, 8_000], every100(0, 8_000))).toBe(6_500);
});

test('a service that never comes back is late until the end', () => {
  const commits = [...every100(0, 2_000), ...every100(10_000, 30_000)];
  expect(longestLag([0, 2_000, 30_000], commits)).toBe(20_000);
});

test('a write before the first commit of the probe is not late', () => {
  const commits = [...every100(0, 2_000), ...every100(12_000, 13_000)];
  expect(longestLag([...every100(0, 2_000), 11_950, 12_500, 13_000], commits)).toBe(500);
});

test('only the last outage in a pause counts', () => {
  const commits = [...every100(0, 1_000), ...every100(5_000, 6_000), ...every100(9_000, 12_000)];
  expect(longestLag([1_000, 11_000, 12_000], commits)).toBe(2_000);
});
