import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { idOf } from '../../support/animals.ts';
import { eventually, eventuallyIs } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import {
  openRawConnection,
  type RawConnection,
  requestText,
} from '../../support/raw-connection.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore, type TestKey, type TestPetstore } from '../../support/start.ts';

const REX = { name: 'Rex', categoryId: 7 };
const BODY = JSON.stringify(REX);
/** The number of bodies that one key may leave unfinished. */
const KEY_MAX = 250;

let petstore: TestPetstore;
let opened: RawConnection[];
beforeEach(async () => {
  petstore = await startPetstore({ settings: { PETSTORE_BODY_TIMEOUT: '240s' } });
  opened = [];
});
afterEach(async () => {
  for (const connection of opened) connection[Symbol.dispose]();
  await petstore[Symbol.asyncDispose]();
});

/** Sends the head of a POST and the first byte of its body. */
function start(
  { text }: TestKey,
  { path = '/v1/pets', body = BODY, more = [] as readonly string[] } = {},
): RawConnection {
  const connection = openRawConnection(petstore.port);
  const fields = [
    'Host: x',
    `Authorization: Bearer ${text}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...more,
  ];
  connection.write(`${requestText(`POST ${path}`, ...fields)}{`);
  opened.push(connection);
  return connection;
}

const startMany = (key: TestKey, count: number) => Array.from({ length: count }, () => start(key));

/** Waits until this number of bodies is in progress. */
const untilAwaited = (count: number) =>
  eventually(
    async () => sampleOf(await scrape(petstore.metricsUrl), 'petstore_http_bodies_awaited'),
    (awaited) => awaited === count,
  );

describe('2,000 unfinished bodies of one key', () => {
  test('block no other key; those beyond the bound are refused, the others can be finished', async () => {
    const sender = await petstore.keyWith({});
    const first = start(sender);
    await untilAwaited(1);
    let ended = 0;
    for (const { closed } of startMany(sender, 1_999)) void closed.then(() => ended++);
    await eventuallyIs(() => ended, 2_000 - KEY_MAX);
    await untilAwaited(KEY_MAX);

    for (let i = 0; i < 50; i++) {
      expect((await petstore.writer.post('/v1/pets', REX)).status).toBe(201);
      expect((await petstore.reader.get('/v1/pets?limit=1')).status).toBe(200);
    }
    // Requests without a body are not held up for this key either.
    expect((await sender.client.get('/v1/pets?limit=1')).status).toBe(200);

    first.write(BODY.slice(1));
    expect((await first.response())?.status).toBe(201);
    await untilAwaited(KEY_MAX - 1);
    expect((await sender.client.post('/v1/pets', REX)).status).toBe(201);
  }, 60_000);

  test('name the problem when one is refused', async () => {
    const sender = await petstore.keyWith({});
    startMany(sender, KEY_MAX);
    await untilAwaited(KEY_MAX);
    const refused = start(sender);
    const response = await refused.response();
    expect(expectError(response, 'service_unavailable')).toContain('nothing was changed');
    expect(response?.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(response?.headers.has('x-ratelimit-remaining')).toBe(true);
    await refused.closed;
  }, 60_000);
});

test('bodies beyond the bound wait, and never more than the bound proceed', async () => {
  await petstore.restart({ PETSTORE_MAX_IN_PROGRESS: '2' });
  const sender = await petstore.keyWith({});
  const connections: RawConnection[] = [];
  for (let i = 1; i <= 5; i++) {
    connections.push(start(sender));
    await untilAwaited(i);
  }
  await petstore.writer.get('/v1/pets');
  const held = await petstore.database.holdWrites();
  for (const connection of connections) connection.write(BODY.slice(1));
  const responses = connections.map((connection) => connection.response());
  const statuses: number[] = [];
  for (const response of responses)
    void response.then((received) => statuses.push(received?.status ?? 0));
  await eventually(
    () => statuses.length,
    (count) => count >= 3,
  );
  await held[Symbol.asyncDispose]();
  await Promise.all(responses);
  expect(statuses.toSorted()).toEqual([201, 201, 503, 503, 503]);
}, 60_000);

describe('a key that ends while a body is in progress', () => {
  test.each(['revoked', 'expired'])('is refused, and nothing is changed: %s', async (how) => {
    const expiresAt = petstore.clock.now() + 60_000;
    const sender = await petstore.keyWith({ expiresAt });
    const connection = start(sender);
    await untilAwaited(1);
    if (how === 'revoked') await petstore.storage.keys.revoke(sender.id, petstore.clock.now());
    petstore.clock.advance(how === 'revoked' ? 1_000 : 60_000);
    connection.write(BODY.slice(1));
    expectError(await connection.response(), 'invalid_api_key');
    expect((await petstore.reader.get('/v1/pets')).text).toBe('[]');
  });
});

test('a key that loses its scope while a body is in progress changes nothing', async () => {
  const sender = await petstore.keyWith({});
  const connection = start(sender);
  await untilAwaited(1);
  const changed = await petstore.admin.patch(`/v1/keys/${sender.id}`, { scopes: ['read'] });
  expect(changed.status).toBe(200);
  petstore.clock.advance(1_000);
  connection.write(BODY.slice(1));
  expectError(await connection.response(), 'insufficient_scope');
  expect((await petstore.reader.get('/v1/pets')).text).toBe('[]');
});

test('a key that may write no more while a body is in progress is shown no personal data', async () => {
  const sender = await petstore.keyWith({});
  const petId = idOf(await petstore.writer.post('/v1/pets', REX));
  const path = '/v1/store/orders';
  const body = `{"petId":${petId},"adopter":"The Alvarez family"}`;
  const named = { 'idempotency-key': 'an-order' };
  const placed = await sender.client.post(path, body, named);
  expect(JSON.parse(placed.text)).toMatchObject({ adopter: 'The Alvarez family' });
  const connection = start(sender, { path, body, more: ['Idempotency-Key: an-order'] });
  await untilAwaited(1);
  await petstore.admin.patch(`/v1/keys/${sender.id}`, { scopes: ['adopt'] });
  petstore.clock.advance(1_000);
  connection.write(body.slice(1));
  const again = await connection.response();
  expect(again?.status).toBe(201);
  expect(again?.headers.get('idempotent-replayed')).toBe('true');
  expect(again?.body).not.toContain('Alvarez');
});
