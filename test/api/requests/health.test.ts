import { expect, test } from 'bun:test';
import { createHealth } from '../../../src/site/health.ts';

/** A health check whose database responds when and how a test decides. */
function createSubject() {
  let now = 0;
  let pings = 0;
  let writes = 0;
  let response: () => Promise<void> = async () => {};
  const health = createHealth({
    storage: {
      ping: () => {
        pings++;
        return response();
      },
      tryWrite: async () => void writes++,
    },
    limiter: { sharing: () => undefined },
    log: { info: () => {}, warn: () => {} },
    release: { version: '1.0.0' },
    isDraining: () => false,
    fence: { obstacle: undefined },
    now: () => now,
  });
  return {
    ready: async () => (await health.ready()).status,
    pings: () => pings,
    writes: () => writes,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
    setResponse: (next: typeof response) => {
      response = next;
    },
  };
}

test('the database is queried at most four times a second, however often health is requested', async () => {
  const { ready, pings, writes, advance } = createSubject();
  for (let second = 1; second <= 3; second++) {
    for (let i = 0; i < 100; i++) {
      expect(await ready()).toBe(200);
      advance(10);
    }
    expect(pings()).toBe(4 * second);
  }
  expect(writes()).toBe(1);
  advance(7_000);
  await ready();
  expect(writes()).toBe(2);
});

test('requests during a query share its result', async () => {
  const { ready, pings, advance, setResponse } = createSubject();
  const { promise, reject } = Promise.withResolvers<void>();
  setResponse(() => promise);
  const statuses: Promise<number>[] = [];
  for (let i = 0; i < 20; i++) {
    statuses.push(ready());
    advance(100);
  }
  expect(pings()).toBe(1);
  reject(new Error('gone'));
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([503]));
  setResponse(async () => {});
  advance(249);
  expect(await ready()).toBe(503);
  advance(1);
  expect(await ready()).toBe(200);
  expect(pings()).toBe(2);
});
