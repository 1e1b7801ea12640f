import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { programPath } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { countCalls, type WatchedCall } from './system-calls.ts';

const REQUESTS = 960;

/**
 * The cost of a request in system calls, not in time, so the tests hold on a slow or busy machine.
 * The bounds are wide; the regressions that they guard against exceed them many times.
 */
describe('system calls per request', () => {
  const folder = createTemporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  const strace = programPath('strace', 'strace');
  let atRest: Readonly<Record<WatchedCall, number>>;

  const get = (origin: string, key: string) =>
    fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  const add = (origin: string, key: string) =>
    fetch(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });

  /** Calls per request, beyond those of a start and stop without requests. */
  async function callsFor(name: string, request: typeof get): Promise<Record<WatchedCall, number>> {
    const calls = await countCalls(strace, folder, name, REQUESTS, request);
    const each = (call: WatchedCall) => (calls[call] - atRest[call]) / REQUESTS;
    return {
      openat: each('openat'),
      pread64: each('pread64'),
      fcntl: each('fcntl'),
      fsync: each('fsync'),
      fdatasync: each('fdatasync'),
    };
  }

  beforeAll(async () => {
    atRest = await countCalls(strace, folder, 'rest', 0, get);
  }, 60_000);

  test('a cached list reads no file and takes no lock', async () => {
    const calls = await callsFor('list', get);
    expect(calls.openat).toBeLessThan(0.2);
    expect(calls.pread64).toBeLessThan(0.2);
    // SQLite locks and unlocks for each query: 2 calls per request without a cached response.
    expect(calls.fcntl).toBeLessThan(0.8);
  }, 60_000);

  test('a read without a cached response takes one lock and gives it back', async () => {
    let id = 0;
    const getNext = (origin: string, key: string) =>
      fetch(`${origin}/v1/pets?id=${++id}`, { headers: { authorization: `Bearer ${key}` } });
    expect((await callsFor('misses', getNext)).fcntl).toBeLessThan(3);
  }, 60_000);

  test('concurrent writes share an fsync', async () => {
    const calls = await callsFor('add', add);
    expect(calls.openat).toBeLessThan(0.2);
    expect(calls.fsync + calls.fdatasync).toBeGreaterThan(1 / REQUESTS);
    expect(calls.fsync + calls.fdatasync).toBeLessThan(0.5);
  }, 60_000);
});
