import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createTemporaryFolder } from '../support/temporary.ts';
import { NO_STRACE } from './crash/kill-strategy.ts';
import { countCalls, type WatchedCall } from './system-calls.ts';

const REQUESTS = 960;

/**
 * What a request costs, in calls of the system and not in time: no machine is too slow or too busy
 * for it. The bounds are wide, and what they are there to notice is many times beyond them.
 */
describe.skipIf(NO_STRACE !== undefined)(
  `system calls a request (${NO_STRACE ?? 'strace'})`,
  () => {
    const folder = createTemporaryFolder();
    afterAll(() => folder[Symbol.dispose]());
    const strace = Bun.which('strace') ?? 'strace';
    let atRest: Readonly<Record<WatchedCall, number>>;

    const get = (origin: string, key: string) =>
      fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
    const add = (origin: string, key: string) =>
      fetch(`${origin}/v1/pets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"name":"Rex","categoryId":1}',
      });

    /** What each request added to a start and an end without any. */
    async function callsFor(
      name: string,
      request: typeof get,
    ): Promise<Record<WatchedCall, number>> {
      const calls = await countCalls(strace, folder, name, REQUESTS, request);
      const each = (call: WatchedCall) => (calls[call] - atRest[call]) / REQUESTS;
      return {
        ...{ openat: each('openat'), pread64: each('pread64'), fcntl: each('fcntl') },
        ...{ fsync: each('fsync'), fdatasync: each('fdatasync') },
      };
    }

    beforeAll(async () => {
      atRest = await countCalls(strace, folder, 'rest', 0, get);
    }, 60_000);

    test('a list that is ready reads no file and takes no lock', async () => {
      const calls = await callsFor('list', get);
      expect(calls.openat).toBeLessThan(0.2);
      expect(calls.pread64).toBeLessThan(0.2);
      // SQLite takes and gives back a lock for each query: 2 a request where nothing is ready.
      expect(calls.fcntl).toBeLessThan(0.8);
    }, 60_000);

    test('writes that come together share an fsync', async () => {
      const calls = await callsFor('add', add);
      expect(calls.openat).toBeLessThan(0.2);
      expect(calls.fsync + calls.fdatasync).toBeGreaterThan(1 / REQUESTS);
      expect(calls.fsync + calls.fdatasync).toBeLessThan(0.5);
    }, 60_000);
  },
);
