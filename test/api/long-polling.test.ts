import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { addAnimals } from '../support/animals.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { forEachTest } from '../support/lifetime.ts';
import { openRawConnection, requestText } from '../support/raw-connection.ts';
import { sampleOf, scrape } from '../support/scrape.ts';
import { startPetstore } from '../support/start.ts';

// It may have to start a database server, and some wait until time is over.
setDefaultTimeout(60_000);

const REX = { name: 'Rex', categoryId: 7 };
const LATEST = '/v1/events?after=latest';

const petstore = forEachTest(() => startPetstore());

const metric = async (series: string) => sampleOf(await scrape(petstore.metricsUrl), series);
const waiting = () => metric('petstore_events_requests_waiting');
const ended = (end: string) => metric(`petstore_events_waits_total{end="${end}"}`);

/** Sends a request, and returns its coming response once the request waits. */
async function startWaiting(client: Client, target: string) {
  const response = client.get(target);
  await eventually(waiting, (count) => count === 1);
  return { response };
}

const typesIn = ({ text }: ClientResponse): string[] =>
  JSON.parse(text).map(({ type }: { type: string }) => type);
const nextOf = ({ headers }: ClientResponse) =>
  /after=(-?\d+)/.exec(headers.get('link') ?? '')?.[1] ?? '';

describe('a request that waits for events', () => {
  test('gets an event as soon as there is one', async () => {
    const { response } = await startWaiting(petstore.reader, `${LATEST}&wait=30`);
    await petstore.writer.post('/v1/pets', REX);
    const answered = await response;
    expect(typesIn(answered)).toEqual(['pet.created']);
    expect(await ended('changes')).toBe(1);
    expect(await waiting()).toBe(0);
  });

  test('gets one that another process made', async () => {
    const { response } = await startWaiting(petstore.reader, `${LATEST}&wait=30`);
    await addAnimals(petstore.storage, [{ name: 'Tom', status: 'available' }]);
    expect(typesIn(await response)).toEqual(['pet.created']);
  });

  test('is not woken by events of other types', async () => {
    const { response } = await startWaiting(
      petstore.reader,
      `${LATEST}&wait=30&type=category.created`,
    );
    await petstore.writer.post('/v1/pets', REX);
    await petstore.writer.post('/v1/categories', { name: 'Dog' });
    expect(typesIn(await response)).toEqual(['category.created']);
  });

  test('gets an empty array when its time is over, and where to continue', async () => {
    // PostgreSQL numbers what the start wrote, its keys for example, together with the first event.
    await petstore.writer.post('/v1/pets', REX);
    await eventually(
      () => petstore.reader.get('/v1/events'),
      ({ text }) => text !== '[]',
    );
    const before = await petstore.reader.get(LATEST);
    const response = await petstore.reader.get(`${LATEST}&wait=1`);
    expect(response.status).toBe(200);
    expect(response.text).toBe('[]');
    expect(nextOf(response)).toBe(nextOf(before));
    expect(await ended('time')).toBe(1);
  });

  test('leaves its place when the client goes away', async () => {
    using connection = openRawConnection(petstore.port);
    const key = `Authorization: Bearer ${petstore.reader.key}`;
    connection.write(requestText(`GET ${LATEST}&wait=30`, 'Host: x', key));
    await eventually(waiting, (count) => count === 1);
    connection[Symbol.dispose]();
    await eventually(waiting, (count) => count === 0);
    expect(await ended('disconnected')).toBe(1);
  });

  test('gets an empty array at a shutdown, on a connection that ends', async () => {
    const { response } = await startWaiting(petstore.reader, `${LATEST}&wait=30`);
    const restarted = petstore.restart();
    const answered = await response;
    await restarted;
    expect(answered.status).toBe(200);
    expect(answered.text).toBe('[]');
    expect(answered.headers.get('connection')).toBe('close');
  });

  test('is refused if its key is revoked meanwhile', async () => {
    const { client, id } = await petstore.keyWith({ scopes: ['read'] });
    const { response } = await startWaiting(client, `${LATEST}&wait=30`);
    await petstore.storage.keys.revoke(id, petstore.clock.now());
    petstore.clock.advance(1_000);
    await petstore.writer.post('/v1/pets', REX);
    expectError(await response, 'invalid_api_key');
  });

  test('does not count as one in progress', async () => {
    await petstore.restart({ PETSTORE_MAX_IN_PROGRESS: '1' });
    const { response } = await startWaiting(petstore.reader, `${LATEST}&wait=30`);
    expect((await petstore.writer.post('/v1/pets', REX)).status).toBe(201);
    expect((await response).status).toBe(200);
  });

  test('is refused if too many wait, but not if it need not wait', async () => {
    await petstore.restart({ PETSTORE_MAX_WAITING: '1' });
    const { response: first } = await startWaiting(petstore.reader, `${LATEST}&wait=30`);
    const refused = await petstore.reader.get(`${LATEST}&wait=30`);
    expect(expectError(refused, 'service_unavailable')).toContain('waiting for events');
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await ended('refused')).toBe(1);
    expect((await petstore.reader.get(LATEST)).text).toBe('[]');
    await petstore.writer.post('/v1/pets', REX);
    expect((await first).status).toBe(200);
    expect(typesIn(await petstore.reader.get('/v1/events?after=0&wait=30'))).toEqual([
      'pet.created',
    ]);
  });

  test('has a HEAD that waits too', async () => {
    const response = petstore.reader.head(`${LATEST}&wait=30`);
    await eventually(waiting, (count) => count === 1);
    await petstore.writer.post('/v1/pets', REX);
    const { status, headers, text } = await response;
    expect([status, text]).toEqual([200, '']);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(2);
  });
});

describe('the charge of a request that waits for events', () => {
  let client: Client;
  beforeEach(async () => {
    ({ client } = await petstore.keyWith({ plan: 'free' }));
  });

  /** The requests that the plan has left, by its own operation, which costs nothing. */
  async function left(): Promise<number> {
    const { minute, day } = JSON.parse((await client.get('/v1/usage')).text);
    expect(day.remaining - minute.remaining).toBe(940);
    return minute.remaining;
  }
  const shown = ({ headers }: ClientResponse) => Number(headers.get('x-ratelimit-remaining'));

  test('is nothing for one that has to wait, one where there are events on arrival', async () => {
    const { response } = await startWaiting(client, `${LATEST}&wait=30`);
    await petstore.writer.post('/v1/pets', REX);
    expect(typesIn(await response)).toEqual(['pet.created']);
    expect(shown(await response)).toBe(60);
    expect(shown(await client.get('/v1/events?after=0&wait=30'))).toBe(59);
    expect(await left()).toBe(59);
  });

  test('is one for a wait of less than ten seconds', async () => {
    for (const target of [LATEST, `${LATEST}&wait=0`, `${LATEST}&wait=1`]) await client.get(target);
    expect(await left()).toBe(57);
  });

  test('is nothing for ten seconds, and one for each beyond ten at a time', async () => {
    const all = Array.from({ length: 12 }, () => client.get(`${LATEST}&wait=10`));
    await eventually(waiting, (count) => count === 12);
    const before = await left();
    // Each thread has ten places.
    expect(before).toBe(58);
    for (const { status, text } of await Promise.all(all)) {
      expect([status, text]).toEqual([200, '[]']);
    }
    expect(await left()).toBe(before);
    // Their places are free again.
    const { response } = await startWaiting(client, `${LATEST}&wait=30`);
    expect(await left()).toBe(before);
    await petstore.writer.post('/v1/pets', REX);
    await response;
  });

  test('is one for a client that goes away', async () => {
    const key = `Authorization: Bearer ${client.key}`;
    for (let count = 1; count <= 3; count++) {
      using connection = openRawConnection(petstore.port);
      connection.write(requestText(`GET ${LATEST}&wait=30`, 'Host: x', key));
      await eventually(waiting, (number) => number === 1);
      connection[Symbol.dispose]();
      await eventually(left, (remaining) => remaining === 60 - count);
    }
  });

  test('is one for a request that is refused', async () => {
    expectError(await client.get('/v1/events?after=x&wait=30'), 'invalid_parameter');
    expectError(await client.get(`${LATEST}&wait=31`), 'invalid_parameter');
    expectError(await client.get('/v1/pets?wait=30&limit=0'), 'invalid_parameter');
    expect(await left()).toBe(57);
  });

  test('is refused when it comes, once the limit is used up', async () => {
    const { response } = await startWaiting(client, `${LATEST}&wait=30`);
    for (let count = 0; count < 60; count++) await client.get('/v1/pets?limit=1');
    expectError(await client.get(`${LATEST}&wait=30`), 'rate_limit_minute');
    expect(await waiting()).toBe(1);
    await petstore.writer.post('/v1/pets', REX);
    expect((await response).status).toBe(200);
    // It is a refusal like any other: too many of them are a ban.
    for (let count = 0; count < 59; count++) {
      expectError(await client.get(`${LATEST}&wait=30`), 'rate_limit_minute');
    }
    expectError(await client.get(`${LATEST}&wait=30`), 'api_key_banned');
  });
});
