import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createLoadShedder } from '../../src/overload/load-shedder.ts';
import { measureQueueDelay, type QueueDelay } from '../../src/overload/queue-delay.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';

const MAX_QUEUE_MS = 250;
const REX = { name: 'Rex', categoryId: 1 };

/** A queue whose delay the test sets. */
interface ToldQueue extends QueueDelay {
  /** Reports a delay measured at this time, in milliseconds. */
  tell(delayMs: number, now: number): void;
  /** Sets how long a measurement has been under way, in milliseconds. */
  wait(waitedMs: number): void;
}

function createToldQueue(): ToldQueue {
  let tell = (_delayMs: number, _now: number) => {};
  let waited = 0;
  return {
    measure: () => {},
    waited: () => waited,
    wait(waitedMs) {
      waited = waitedMs;
    },
    listen(listener) {
      tell = listener;
    },
    close: () => {},
    tell: (delayMs, now) => tell(delayMs, now),
  };
}

/** Reports a queue that stays too long for long enough. */
function overload(queue: ToldQueue): void {
  queue.tell(MAX_QUEUE_MS + 1, 0);
  queue.tell(MAX_QUEUE_MS + 1, 500);
}

describe('the load shedder', () => {
  const rules = { maxInProgress: 2, maxQueueMs: MAX_QUEUE_MS, readsWait: false };
  const guard = () => {
    const queue = createToldQueue();
    const bodies = { awaited: 0 };
    const load = createLoadShedder(rules, { count: () => bodies.awaited, refused: () => 0 }, queue);
    return { queue, bodies, load };
  };
  const refuses = ({ load }: ReturnType<typeof guard>, now = 1_000) => load.refuses('GET', now);

  test('refuses while the queue is too long, and until it is half as long', () => {
    const guarded = guard();
    expect(refuses(guarded)).toBe(false);
    overload(guarded.queue);
    expect(refuses(guarded)).toBe(true);
    guarded.queue.tell(MAX_QUEUE_MS / 2 + 1, 700);
    expect(refuses(guarded)).toBe(true);
    guarded.queue.tell(MAX_QUEUE_MS / 2 - 1, 800);
    expect(refuses(guarded)).toBe(false);
  });

  test('ignores a single slow moment', () => {
    const guarded = guard();
    guarded.queue.tell(10 * MAX_QUEUE_MS, 0);
    guarded.queue.tell(1, 100);
    guarded.queue.tell(10 * MAX_QUEUE_MS, 2_000);
    expect(refuses(guarded)).toBe(false);
  });

  test('refuses before a measurement behind a long queue is over', () => {
    const guarded = guard();
    guarded.queue.wait(MAX_QUEUE_MS + 1);
    expect(refuses(guarded, 1_000)).toBe(false);
    expect(refuses(guarded, 1_499)).toBe(false);
    expect(refuses(guarded, 1_500)).toBe(true);
  });

  test('refuses at once when the queue is too long again soon after', () => {
    const guarded = guard();
    overload(guarded.queue);
    guarded.queue.tell(1, 600);
    expect(refuses(guarded)).toBe(false);
    guarded.queue.tell(MAX_QUEUE_MS + 1, 10_599);
    expect(refuses(guarded, 10_599)).toBe(true);
    // It was one slow moment, so it does not count as an overload itself.
    guarded.queue.tell(1, 10_650);
    guarded.queue.tell(MAX_QUEUE_MS + 1, 10_700);
    expect(refuses(guarded, 10_700)).toBe(false);
  });

  test('records every reported delay, in seconds', () => {
    const guarded = guard();
    for (const delayMs of [0.3, 1, 40, 4_000]) guarded.queue.tell(delayMs, 0);
    const { bounds, counts, sum } = guarded.load.delays;
    const filled = [...counts.entries()].filter(([, count]) => count > 0);
    expect(filled.map(([bucket]) => bounds[bucket])).toEqual([0.0005, 0.001, 0.05, undefined]);
    expect(sum()).toBeCloseTo(4.0413);
  });

  test.each([
    ['a fifth', 0.2, 0.01, 0.08],
    ['a fifth', 0.2, 0.02, 0.7],
    ['next to none', 0, 0.04, 0.08],
    ['next to none', 0, 0.08, 0.4],
  ])(
    'spends %s of its time (%f) on refusals of %f ms beside responses of %f ms',
    (_, share, refusalMs, responseMs) => {
      const guarded = guard();
      overload(guarded.queue);
      let now = 1_000;
      let [served, refused] = [0, 0];
      while (served + refused < 100_000) {
        const isRefused = refuses(guarded, now);
        if (isRefused) refused++;
        else served++;
        now += isRefused ? refusalMs : responseMs;
      }
      const [servingMs, refusingMs] = [served * responseMs, refused * refusalMs];
      expect(refusingMs / (servingMs + refusingMs)).toBeCloseTo(share, 1);
      // It has to notice when a refusal starts to pay.
      expect(refused).toBeGreaterThan(100);
      expect(guarded.load.report().refusedQueued).toBe(refused);
    },
  );

  test('takes connections that open between refusals for no part of their cost', () => {
    const guarded = guard();
    overload(guarded.queue);
    let now = 1_000;
    let refused = 0;
    while (now < 2_000) {
      const isRefused = refuses(guarded, now);
      if (isRefused) refused++;
      now += isRefused ? (refused < 60 ? 2 : 0.02) : 1;
    }
    // A fifth of the second is enough for thousands, a hundredth for 500.
    expect(refused).toBeGreaterThan(2_000);
  });

  test('counts requests in progress, however they end', async () => {
    const { load } = guard();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const tracked = [load.track(first.promise), load.track(second.promise)];
    expect(load.report().inProgress).toBe(2);
    expect(load.refuses('POST', 0)).toBe(true);
    expect(load.refuses('GET', 0)).toBe(false);
    first.resolve();
    second.reject(new Error('a fault'));
    await Promise.allSettled(tracked);
    expect(load.report()).toMatchObject({ inProgress: 0, refusedInProgress: 1, refusedQueued: 0 });
    expect(load.refuses('POST', 0)).toBe(false);
  });

  test('counts a request once its body has arrived, and refuses it if there is no room then', () => {
    const { load, bodies } = guard();
    for (let i = 0; i < 3; i++) void load.track(new Promise(() => {}));
    bodies.awaited = 3;
    expect(load.report()).toMatchObject({ inProgress: 0, awaitedBodies: 3 });
    expect(load.refuses('POST', 0)).toBe(false);
    bodies.awaited = 1;
    expect(load.refusesWithBody()).toBe(false);
    expect(load.refuses('POST', 0)).toBe(true);
    bodies.awaited = 0;
    expect(load.refusesWithBody()).toBe(true);
    expect(load.report()).toMatchObject({ inProgress: 3, refusedInProgress: 2 });
  });
});

test('the measured delay includes all waiting work of the event loop', async () => {
  const queue = await measureQueueDelay();
  const { promise, resolve } = Promise.withResolvers<number>();
  queue.listen(resolve);
  queue.measure(performance.now());
  const end = performance.now() + 60;
  while (performance.now() < end);
  expect(await promise).toBeGreaterThanOrEqual(60);
  queue.close();
});

test('one long turn of the event loop gives one delay, however many datagrams were sent', async () => {
  const queue = await measureQueueDelay();
  const delays: number[] = [];
  queue.listen((delayMs) => delays.push(delayMs));
  const start = performance.now();
  for (let now = start; now < start + 600; now = performance.now()) queue.measure(now);
  await eventually(
    () => delays.length,
    (count) => count > 0,
  );
  await Bun.sleep(20);
  expect(delays).toHaveLength(1);
  expect(delays[0]).toBeGreaterThanOrEqual(600);
  queue.close();
});

test('a measurement under way tells how long it has waited behind requests, not how long the process stood still', async () => {
  const queue = await measureQueueDelay();
  let delays = 0;
  queue.listen(() => delays++);
  queue.measure(performance.now());
  // Where no datagram comes back, nothing is measured.
  await eventually(
    () => delays,
    (count) => count === 1,
  );
  const start = performance.now() + 1_000;
  queue.measure(start);
  expect(queue.waited()).toBe(0);
  // In one turn of the event loop, so the datagram is not back.
  for (let ms = 1; ms <= 400; ms++) queue.measure(start + ms);
  expect(queue.waited()).toBeCloseTo(400);
  queue.measure(start + 5_000);
  expect(queue.waited()).toBeLessThan(410);
  await eventually(queue.waited, (waited) => waited === 0);
  queue.close();
});

describe('an overloaded service', () => {
  let petstore: TestPetstore;
  let queue: ToldQueue;

  beforeEach(async () => {
    queue = createToldQueue();
    const settings = { PETSTORE_MAX_QUEUE_MS: String(MAX_QUEUE_MS), PETSTORE_MAX_IN_PROGRESS: '2' };
    petstore = await startPetstore({ settings, queueDelay: queue });
  });
  afterEach(() => petstore[Symbol.asyncDispose]());

  test('responds 503 with the usual headers, charges nobody, and recovers', async () => {
    const { client } = await petstore.keyWith({ plan: 'free' });
    const before = await client.get('/v1/pets');
    overload(queue);
    const headers = { 'X-Request-Id': 'mine' };
    const refused = await client.get('/v1/pets/1', headers);
    expect(expectError(refused, 'service_unavailable')).toContain('try again');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(refused.headers.get('x-request-id')).toBe('mine');
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      expect(refused.headers.get(name)).toMatch(/^[0-9]+$/);
    }
    for (const name of ['ratelimit', 'ratelimit-policy', 'deprecation', 'sunset', 'vary']) {
      expect(refused.headers.get(name)).not.toBeNull();
    }
    expectError(await petstore.anonymous.get('/v1/pets'), 'service_unavailable');
    expectError(await client.post('/v1/pets', REX), 'service_unavailable');

    queue.tell(0, 1_000);
    const after = await client.get('/v1/pets');
    expect(after.text).toBe('[]');
    const left = (response: typeof after) => Number(response.headers.get('x-ratelimit-remaining'));
    expect(left(after)).toBe(left(before) - 1);
  });

  test('still reports its health, and does not log each refusal', async () => {
    overload(queue);
    for (const path of ['/livez', '/readyz', '/openapi.json', '/docs']) {
      expect((await petstore.anonymous.get(path)).status).toBe(200);
    }
    const lines = petstore.log.length;
    for (let i = 0; i < 3; i++) await petstore.reader.get('/v1/pets');
    expect(petstore.log.slice(lines).filter((line) => line.includes('/v1/pets'))).toEqual([]);
    await eventually(
      () => petstore.log.find((line) => line.includes('requests were refused')),
      (line) => line?.includes('"refused":3') === true,
    );
  });

  test('refuses requests over the bound of those in progress, and completes the others', async () => {
    await petstore.writer.get('/v1/pets');
    const held = await petstore.database.holdWrites();
    const sent = [0, 1, 2].map(() => petstore.writer.post('/v1/pets', REX));
    expect(expectError(await Promise.race(sent), 'service_unavailable')).toMatch(
      /^The service is overloaded/,
    );
    // Reads of the embedded database never wait, so they are not bounded.
    await eventually(
      () => scrape(petstore.metricsUrl),
      (scraped) =>
        sampleOf(scraped, 'petstore_http_requests_pending') === 2 &&
        sampleOf(scraped, 'petstore_http_bodies_awaited') === 0,
    );
    const read = await petstore.reader.get('/v1/pets');
    expect(read.status).toBe(chosenEngine().name === 'sqlite' ? 200 : 503);
    await held[Symbol.asyncDispose]();
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 201, 503]);
    expect((await petstore.writer.post('/v1/pets', REX)).status).toBe(201);
  });
});
