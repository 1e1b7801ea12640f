import { describe, expect, test } from 'bun:test';
import { untilIdle } from '../../bench/idle.ts';

/** A server that reports these processor times in turn, then the last one forever. */
function serverOf(...milliseconds: readonly number[]) {
  let looks = 0;
  return {
    cpuMilliseconds: () => milliseconds[Math.min(looks++, milliseconds.length - 1)] ?? 0,
    looks: () => looks,
  };
}

describe('between two measurements', () => {
  test('the server finishes the requests that the load left behind', async () => {
    const server = serverOf(100, 190, 270, 280);
    await untilIdle(server);
    expect(server.looks()).toBe(4);
  });

  test('a server that never becomes idle is an error', async () => {
    const busy = { cpuMilliseconds: () => performance.now() };
    await expect(untilIdle(busy, 250)).rejects.toThrow('still busy');
  });
});
