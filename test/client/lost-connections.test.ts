import { expect, test } from 'bun:test';
import { addOverCutConnections } from './lost-connections.ts';

test('no animal is added twice, none is lost and none is missed while connections are cut', async () => {
  const { added, requests, cuts, timesThere, timesFollowed } = await addOverCutConnections(600);
  expect(cuts).toBeGreaterThan(3);
  expect(requests).toBeGreaterThan(added);
  for (const times of [timesThere, timesFollowed]) {
    expect(times.size).toBe(added);
    expect([...times.values()].filter((count) => count !== 1)).toEqual([]);
  }
}, 120_000);
