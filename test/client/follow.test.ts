import { describe, expect, test } from 'bun:test';
import { type EventPage, type FollowOptions, PetstoreError } from 'petstore-client';
import { Events } from '../../packages/client/src/events.ts';
import { restAfter } from '../../packages/client/src/pace.ts';
import { systemTime, type Time } from '../../packages/client/src/retry.ts';
import { Transport } from '../../packages/client/src/transport.ts';

const BASE_URL = 'http://127.0.0.1:8080/v1';

/** A response to a request, or the error of one that never got one. */
type Answer = Response | Error;

/** A page of events up to this id. */
function page(to: number, count: number, headers: Record<string, string> = {}): Response {
  const events = Array.from({ length: count }, (_, index) => ({ id: to - count + index + 1 }));
  return Response.json(events, {
    headers: { link: `<${BASE_URL}/events?after=${to}&limit=100>; rel="next"`, ...headers },
  });
}

function refusal(code: string, retryAfter: number): Response {
  const headers = { 'retry-after': `${retryAfter}` };
  return Response.json({ code, message: 'No.' }, { status: 429, headers });
}

/** The headers of a quota: requests left and seconds until it is whole again. */
const quota = (minute: readonly [number, number], day: readonly [number, number]) => ({
  'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  ratelimit: `"minute";r=${minute[0]};t=${minute[1]}, "day";r=${day[0]};t=${day[1]}`,
});

/** Follows a service that gives these answers, in a time that passes when the client waits. */
function follow(answers: readonly Answer[], options: FollowOptions = {}, own?: Time) {
  const left = [...answers];
  const requests: { readonly query: string; readonly at: number }[] = [];
  const retries: (readonly [code: string, milliseconds: number])[] = [];
  let now = 0;
  const time: Time = {
    now: () => now,
    async sleep(milliseconds) {
      now += milliseconds;
    },
  };
  const fetch = async (url: string) => {
    requests.push({ query: new URL(url).search, at: now });
    const answer = left.shift();
    if (answer === undefined) throw new PetstoreError('The script is over.', { code: 'aborted' });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const onRetry = (error: PetstoreError, milliseconds: number) =>
    retries.push([error.code, milliseconds]);
  const events = new Events(new Transport({ baseUrl: BASE_URL, fetch, onRetry }, own ?? time));
  const pages: EventPage[] = [];
  /** Ends when the answers do. */
  const ended = (async () => {
    for await (const one of events.pages({ after: 0, ...options })) pages.push(one);
  })().catch((error: unknown) => error);
  return { ended, pages, requests, retries };
}

describe('a follower', () => {
  test('waits for limits of a minute and of a day, and tells of it', async () => {
    const limits = [refusal('rate_limit_minute', 36), refusal('rate_limit_day', 40_000)];
    const { ended, pages, requests, retries } = follow([...limits, page(7, 7)]);
    expect(await ended).toMatchObject({ code: 'aborted' });
    expect(pages).toMatchObject([{ position: 7 }]);
    expect(retries.map(([code]) => code)).toEqual(['rate_limit_minute', 'rate_limit_day']);
    for (const [index, seconds] of [36, 40_000].entries()) {
      const waited = (requests[index + 1]?.at ?? 0) - (requests[index]?.at ?? 0);
      expect(waited).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(waited).toBeLessThan(seconds * 1_000 + 31_000);
    }
  });

  test('ends when its key is banned', async () => {
    const { ended, requests } = follow([refusal('api_key_banned', 1), page(1, 1)]);
    expect(await ended).toMatchObject({ code: 'api_key_banned', retryAfter: 1 });
    expect(requests).toHaveLength(1);
  });

  test('tries for ever to reach the service, at least every 30 seconds', async () => {
    const lost = Array(5_000).fill(new TypeError('fetch failed'));
    const { ended, pages, retries } = follow([
      ...lost,
      new Response('', { status: 502 }),
      page(3, 3),
    ]);
    expect(await ended).toMatchObject({ code: 'aborted' });
    expect(pages).toMatchObject([{ position: 3 }]);
    expect(retries).toHaveLength(5_001);
    expect(Math.max(...retries.map(([, milliseconds]) => milliseconds))).toBeLessThanOrEqual(
      30_000,
    );
  });

  test('waits no longer than a timer can', async () => {
    const { ended, retries } = follow([refusal('rate_limit_day', 1e9), page(1, 1)]);
    expect(await ended).toMatchObject({ code: 'aborted' });
    expect(retries[0]?.[1]).toBe(2 ** 31 - 1);
  });

  test('ends with an error that no wait can cure', async () => {
    const expired = Response.json({ code: 'events_expired', message: 'Gone.' }, { status: 410 });
    const { ended } = follow([expired, page(1, 1)]);
    expect(await ended).toMatchObject({ code: 'events_expired', status: 410 });
  });

  test('tells whom the call names, in place of whom the client names', async () => {
    const told: string[] = [];
    const onRetry = ({ code }: PetstoreError) => told.push(code);
    const { ended, retries } = follow([new TypeError('fetch failed'), page(1, 1)], { onRetry });
    await ended;
    expect([told, retries]).toEqual([['connection_lost'], []]);
  });

  test('passes every position on, also those of pages without events', async () => {
    const answers = [page(5, 0), page(9, 0), page(12, 2)];
    const { ended, pages, requests } = follow(answers, { after: 'latest', type: 'store.reset' });
    await ended;
    expect(pages.map(({ events, position }) => [events.length, position])).toEqual([
      [0, 5],
      [0, 9],
      [2, 12],
    ]);
    expect(requests.map(({ query }) => query)).toEqual([
      // It must not wait: what it waited for would be lost with its response.
      '?type=store.reset&limit=100&after=latest',
      '?type=store.reset&limit=100&after=5&wait=25',
      '?type=store.reset&limit=100&after=9&wait=25',
      '?type=store.reset&limit=100&after=12&wait=25',
    ]);
  });

  test('refuses a response that does not say where to continue', async () => {
    const { ended } = follow([Response.json([{ id: 1 }])]);
    expect(await ended).toBeInstanceOf(TypeError);
  });

  test('rests after a page that was not full, and after no other', async () => {
    const scarce = quota([50, 50], [100, 43_200]);
    const answers = [page(100, 100, scarce), page(100, 0, scarce), page(103, 3, scarce)];
    const { ended, requests, retries } = follow(answers);
    await ended;
    expect(requests.map(({ at }) => at)).toEqual([0, 0, 0, 432_000]);
    expect(retries).toEqual([]);
  });

  test('ends at once while it rests', async () => {
    const ending = new AbortController();
    const scarce = quota([50, 50], [100, 43_200]);
    const { ended, pages } = follow([page(3, 3, scarce)], { signal: ending.signal }, systemTime);
    setTimeout(() => ending.abort(), 20);
    expect(await ended).toMatchObject({ code: 'aborted' });
    expect(pages).toHaveLength(1);
  });
});

describe('the rest after a page', () => {
  test.each([
    ['much is left', quota([59, 60], [999, 86_400]), 0],
    ['a tenth is used ahead of the time', quota([54, 60], [900, 86_400]), 0],
    ['more than a tenth is used ahead of the minute', quota([30, 45], [999, 86_400]), 1_500],
    ['more than a tenth is used ahead of the day', quota([59, 60], [500, 86_000]), 172_000],
    ['both are short', quota([1, 30], [10, 60_000]), 6_000_000],
    ['nothing is left', quota([0, 30], [999, 80_000]), 30_000],
    ['the service has no such headers', {}, 0],
    ['a proxy removed one of them', { 'ratelimit-policy': '"minute";q=60;w=60' }, 0],
  ])('lasts when %s', (_, headers, expected) => {
    expect(restAfter(new Headers(Object.entries(headers)))).toBe(expected);
  });
});

test('the client tells of each wait for another attempt', async () => {
  const told: [string, number][] = [];
  let sent = 0;
  const fetch = async () => {
    if (++sent < 3) throw new TypeError('fetch failed');
    return Response.json({ plan: 'free' });
  };
  const time: Time = { now: () => 0, sleep: async () => {} };
  const onRetry = ({ code }: PetstoreError, wait: number) => told.push([code, wait]);
  const transport = new Transport({ baseUrl: BASE_URL, fetch, onRetry }, time);
  await transport.send({ method: 'GET', target: '/usage' });
  expect(told.map(([code]) => code)).toEqual(['connection_lost', 'connection_lost']);
  expect(Math.min(...told.map(([, wait]) => wait))).toBeGreaterThanOrEqual(125);
});
