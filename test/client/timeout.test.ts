import { expect, test } from 'bun:test';
import { Petstore } from '../../packages/client/src/index.ts';

/** Responds after 50 ms, or fails as soon as the signal aborts. */
function slowFetch(_url: string, { signal }: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(Response.json({ total: 1 })), 50);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

test('a call with a longer time of its own is not cut by the deadline of the client', async () => {
  const store = new Petstore({ baseUrl: '/v1', fetch: slowFetch, deadline: 1 });
  const stats: unknown = await store.stats.get({ timeout: 60_000 });
  expect(stats).toEqual({ total: 1 });
});

test('fetch sees that the time is over, and the caller gets the code', async () => {
  let signal: AbortSignal | null | undefined;
  const fetch = (url: string, init: RequestInit) => {
    signal = init.signal;
    return slowFetch(url, init);
  };
  const store = new Petstore({ baseUrl: '/v1', fetch, retries: 0 });
  const failure = await store.stats.get({ timeout: 1 }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'timeout' });
  expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
});
