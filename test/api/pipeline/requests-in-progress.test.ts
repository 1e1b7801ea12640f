import { describe, expect, test } from 'bun:test';
import { createRequestsInProgress } from '../../../src/api/pipeline/admission.ts';
import { chosenEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore } from '../../support/start.ts';

const REX = { name: 'Rex', categoryId: 1 };

describe('the requests in progress', () => {
  const guard = () => {
    const bodies = { awaited: 0 };
    const arriving = { count: () => bodies.awaited, refused: () => 0 };
    const limits = { maxInProgress: 2, readsWait: false };
    return { bodies, requests: createRequestsInProgress(limits, arriving, () => 0) };
  };

  test('counts requests in progress, however they end', async () => {
    const { requests } = guard();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const tracked = [requests.track(first.promise), requests.track(second.promise)];
    expect(requests.report().inProgress).toBe(2);
    expect(requests.refuses('POST')).toBe(true);
    expect(requests.refuses('GET')).toBe(false);
    first.resolve();
    second.reject(new Error('a fault'));
    await Promise.allSettled(tracked);
    expect(requests.report()).toMatchObject({ inProgress: 0, refusedInProgress: 1 });
    expect(requests.refuses('POST')).toBe(false);
  });

  test('counts a request once its body has arrived, and refuses it if there is no room then', () => {
    const { requests, bodies } = guard();
    for (let i = 0; i < 3; i++) void requests.track(new Promise(() => {}));
    bodies.awaited = 3;
    expect(requests.report()).toMatchObject({ inProgress: 0, awaitedBodies: 3 });
    expect(requests.refuses('POST')).toBe(false);
    bodies.awaited = 1;
    expect(requests.refusesWithBody()).toBe(false);
    expect(requests.refuses('POST')).toBe(true);
    bodies.awaited = 0;
    expect(requests.refusesWithBody()).toBe(true);
    expect(requests.report()).toMatchObject({ inProgress: 3, refusedInProgress: 2 });
  });
});

describe('a service with as many requests in progress as it takes', () => {
  const petstore = forEachTest(() =>
    startPetstore({ settings: { PETSTORE_MAX_IN_PROGRESS: '2' } }),
  );

  /** Two writes that wait for somebody who holds the tables. */
  async function fill() {
    // Its key is known, so that it does not wait for that.
    await petstore.writer.get('/v1/pets');
    const held = await petstore.database.holdWrites();
    const sent = [0, 1].map(() => petstore.writer.post('/v1/pets', REX));
    await eventually(
      () => scrape(petstore.metricsUrl),
      (scraped) =>
        sampleOf(scraped, 'petstore_http_requests_pending') === 2 &&
        sampleOf(scraped, 'petstore_http_bodies_awaited') === 0,
    );
    return { held, sent };
  }

  test('responds 503 with the usual headers, charges nobody, and recovers', async () => {
    const { client } = await petstore.keyWith({ plan: 'free', scopes: ['read', 'write'] });
    const before = await client.get('/v1/pets');
    const { held, sent } = await fill();
    const refused = await client.post('/v1/pets', REX, { 'X-Request-Id': 'mine' });
    expect(expectError(refused, 'service_unavailable')).toMatch(/^The service is overloaded/);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(refused.headers.get('x-request-id')).toBe('mine');
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      expect(refused.headers.get(name)).toMatch(/^[0-9]+$/);
    }
    for (const name of ['ratelimit', 'ratelimit-policy', 'vary']) {
      expect(refused.headers.get(name)).not.toBeNull();
    }
    await held[Symbol.asyncDispose]();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([201, 201]);
    const after = await client.get('/v1/pets');
    const left = (response: typeof after) => Number(response.headers.get('x-ratelimit-remaining'));
    expect(left(after)).toBe(left(before) - 1);
  });

  test('still reports its health, reads what need not wait, and logs the refusals in one line', async () => {
    const paths = ['/livez', '/openapi.json', '/docs'];
    // Made here: the writes wait for no longer than 1.5 s, and the first time takes as long on a busy machine.
    for (const path of paths) await petstore.anonymous.get(path);
    const { held } = await fill();
    for (const path of paths) expect((await petstore.anonymous.get(path)).status).toBe(200);
    // Reads of the embedded database never wait, so they are not bounded.
    const read = await petstore.reader.get('/v1/pets');
    expect(read.status).toBe(chosenEngine().name === 'sqlite' ? 200 : 503);
    const lines = petstore.log.length;
    for (let n = 0; n < 3; n++)
      expectError(await petstore.writer.post('/v1/pets', REX), 'service_unavailable');
    expect(petstore.log.slice(lines).filter((line) => line.includes('/v1/pets'))).toEqual([]);
    await eventually(
      () => petstore.log.find((line) => line.includes('requests were refused')),
      (line) => line !== undefined,
    );
    await held[Symbol.asyncDispose]();
  });
});
