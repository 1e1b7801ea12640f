import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { openServer, type PetstoreServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { idOf } from '../../support/animals.ts';
import {
  type Client,
  type ClientRequest,
  type ClientResponse,
  createClient,
} from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

/** A change of a key takes effect on every server within this time. */
const PROMISED_MS = 1_000;

let petstore: TestPetstore;
let second: PetstoreServer;
/** Two servers on one database, which the tests of a group share. */
async function startTwo(): Promise<void> {
  petstore = await startPetstore();
  const settings = {
    PETSTORE_DATABASE: petstore.database.address,
    PETSTORE_PORT: '0',
    PETSTORE_OPS_PORT: 'off',
  };
  const parts = { clock: petstore.clock, log: openLog('silent') };
  second = await openServer(readConfig({}, settings), parts);
}

async function stopTwo(): Promise<void> {
  await second.close();
  await petstore[Symbol.asyncDispose]();
}

const facts = ({ text }: ClientResponse) => JSON.parse(text);
const timeText = (time: number) => new Date(time).toISOString();

/** A new key, with a client for each of the two servers. */
interface Created {
  readonly path: string;
  readonly clients: readonly [Client, Client];
}

function createdIn(response: ClientResponse): Created {
  return createdKey(idOf(response), facts(response).key);
}

function createdKey(id: bigint, text: string): Created {
  const clients = [petstore, second].map(({ url }) => createClient(() => url, text));
  return { path: `/v1/keys/${id}`, clients: clients as [Client, Client] }; // Two of two.
}

async function create(body: object = {}): Promise<Created> {
  const key = { name: 'A', plan: 'pro', ...body };
  // A busy database refuses what would wait too long.
  const response = await eventually(
    () => petstore.admin.post('/v1/keys', key),
    ({ status }) => status !== 503,
  );
  expect(response.status, response.text).toBe(201);
  return createdIn(response);
}

describe('within a second on two servers', () => {
  beforeAll(startTwo);
  afterAll(stopTwo);

  test('a new key works, and a revoked one no longer does', async () => {
    const { path, clients } = await create();
    for (const client of clients) expect((await client.get('/v1/pets')).status).toBe(200);
    expect((await petstore.admin.delete(path)).status).toBe(204);
    petstore.clock.advance(PROMISED_MS - 1);
    for (const client of clients) expectError(await client.get('/v1/pets'), 'invalid_api_key');
  });

  test('a change of plan and scopes takes effect', async () => {
    const { path, clients } = await create();
    for (const client of clients) expect((await client.get('/v1/pets')).status).toBe(200);
    await petstore.admin.patch(path, { plan: 'business', scopes: ['read'] });
    petstore.clock.advance(PROMISED_MS - 1);
    for (const client of clients) {
      expect((await client.get('/v1/pets')).headers.get('x-ratelimit-limit')).toBe('1000');
      expectError(await client.post('/v1/pets', {}), 'insufficient_scope');
    }
  });

  test('a rotation without overlap ends the old key', async () => {
    const { path, clients } = await create();
    for (const client of clients) expect((await client.get('/v1/pets')).status).toBe(200);
    const rotated = await petstore.admin.post(`${path}/rotate`, { overlapSeconds: 0 });
    petstore.clock.advance(PROMISED_MS - 1);
    for (const client of clients) expectError(await client.get('/v1/pets'), 'invalid_api_key');
    for (const client of createdIn(rotated).clients) {
      expect((await client.get('/v1/pets')).status).toBe(200);
    }
  });

  test('an unban takes effect, and the key shows no ban', async () => {
    const { path, clients } = await create({ plan: 'enterprise', perMinute: 1, perDay: 1_000 });
    for (const client of clients) {
      for (let i = 0; i < 62; i++) await client.get('/v1/pets');
      expectError(await client.get('/v1/pets'), 'api_key_banned');
    }
    const banned = facts(await petstore.admin.get(path));
    expect(banned.status).toBe('active');
    expect(Date.parse(banned.ban.until)).toBeGreaterThan(petstore.clock.now());
    const rotated = await petstore.admin.post(`${path}/rotate`, {});
    expect(facts(rotated).ban).toEqual(banned.ban);
    const unbanned = await petstore.admin.send('POST', `${path}/unban`);
    expect([unbanned.status, facts(unbanned).ban]).toEqual([200, null]);
    expect(facts(await petstore.admin.get(path)).ban).toBeNull();
    petstore.clock.advance(PROMISED_MS - 1);
    for (const client of clients) {
      expectError(await client.get('/v1/pets'), 'rate_limit_minute');
    }
  });
});

describe('DELETE /keys/{keyId}', () => {
  beforeAll(startTwo);
  afterAll(stopTwo);

  test('keeps the key in the list, with the time of its first revocation', async () => {
    const { path } = await create();
    const revokedAt = timeText(petstore.clock.now());
    expect((await petstore.admin.delete(path)).status).toBe(204);
    petstore.clock.advance(5_000);
    expect((await petstore.admin.delete(path)).status).toBe(204);
    const got = await petstore.admin.get(path);
    expect(facts(got)).toMatchObject({ status: 'revoked', revokedAt });
    expectError(await petstore.admin.patch(path, { name: 'B' }), 'conflict');
    expectError(await petstore.admin.post(`${path}/rotate`, {}), 'conflict');
  });
});

describe('POST /keys/{keyId}/rotate', () => {
  beforeAll(startTwo);
  afterAll(stopTwo);

  test('creates a key with the same rights, and ends the old one after a day', async () => {
    const rights = { plan: 'enterprise', perMinute: 5, perDay: 50, scopes: ['adopt'] };
    const end = petstore.clock.now() + 9 * DAY_MS;
    const { path } = await create({ ...rights, expiresAt: timeText(end) });
    petstore.clock.advance(1_000);
    const rotated = await petstore.admin.post(`${path}/rotate`, {});
    expect(rotated.status).toBe(201);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect(facts(rotated)).toMatchObject({ ...rights, expiresAt: timeText(end + 1_000) });
    const location = rotated.headers.get('location') ?? '';
    expect(location).toBe(`${petstore.baseUrl}/keys/${idOf(rotated)}`);
    const old = facts(await petstore.admin.get(path));
    expect(old.expiresAt).toBe(timeText(petstore.clock.now() + DAY_MS));
  });

  test.each([
    [-1, 'overlapSeconds must be a whole number from 0 to 31536000, without quotes.'],
    [31_536_001, 'overlapSeconds must be'],
    ['60', 'overlapSeconds must be'],
    [null, 'overlapSeconds must be'],
  ])('refuses an overlap of %p', async (overlapSeconds, problem) => {
    const { path } = await create();
    const response = await petstore.admin.post(`${path}/rotate`, { overlapSeconds });
    expect(expectError(response, 'invalid_body')).toStartWith(problem);
    expect(facts(await petstore.admin.get(path)).expiresAt).toBeNull();
  });

  test('takes a request without a body like an empty object, and no body without its type', async () => {
    const { path } = await create();
    const rotate = (request: ClientRequest) =>
      petstore.admin.send('POST', `${path}/rotate`, request);
    const headers = { 'idempotency-key': 'bare' };
    expect((await rotate({ headers })).status).toBe(201);
    const old = facts(await petstore.admin.get(path));
    expect(old.expiresAt).toBe(timeText(petstore.clock.now() + DAY_MS));
    // What it is compared with is the same.
    const json = { 'content-type': 'application/json' };
    for (const body of [undefined, '', '{}']) {
      const sent = body === undefined ? {} : { body };
      expectError(await rotate({ headers: { ...headers, ...json }, ...sent }), 'conflict');
    }
    const untyped = new Blob(['{}']);
    expectError(await rotate({ body: untyped }), 'unsupported_media_type');
    expectError(await rotate({ body: untyped.stream() }), 'unsupported_media_type');
  });

  test('takes one Idempotency-Key for two keys: these are two requests', async () => {
    const headers = { 'idempotency-key': 'mine' };
    const [one, two] = [await create(), await create()];
    const first = await petstore.admin.post(`${one.path}/rotate`, {}, headers);
    const other = await petstore.admin.post(`${two.path}/rotate`, {}, headers);
    expect([first.status, other.status]).toEqual([201, 201]);
    for (const { path } of [one, two]) {
      expect(facts(await petstore.admin.get(path)).expiresAt).not.toBeNull();
      const unbanned = await petstore.admin.send('POST', `${path}/unban`, { headers });
      expect(`/v1/keys/${idOf(unbanned)}`).toBe(path);
    }
  });
});

describe('the last admin key', () => {
  beforeAll(startTwo);
  afterAll(stopTwo);

  /** Two admin keys, the only ones; the first has a client for each server. */
  async function twoAdmins(): Promise<[Created, Created]> {
    // Past the service: the key of its admin is revoked below.
    const admins = [
      await petstore.keyWith({ scopes: ['admin'] }),
      await petstore.keyWith({ scopes: ['admin'] }),
    ];
    const both = admins.map(({ id, text }) => createdKey(id, text));
    const known = await petstore.storage.keys.list();
    const paths = both.map(({ path }) => path);
    for (const { id, scopes } of known) {
      if (!scopes.includes('admin') || paths.includes(`/v1/keys/${id}`)) continue;
      await petstore.storage.keys.revoke(id, petstore.clock.now());
    }
    return both as [Created, Created]; // Two of two.
  }
  const activeAdmins = async () =>
    (await petstore.storage.keys.list()).filter(
      ({ scopes, revokedAt, expiresAt }) =>
        scopes.includes('admin') && revokedAt === null && expiresAt === null,
    );

  const ENDS: readonly [string, (client: Client, path: string) => Promise<ClientResponse>][] = [
    ['be revoked', (client, path) => client.delete(path)],
    ['lose the scope', (client, path) => client.patch(path, { scopes: ['write'] })],
    ['get an end', (client, path) => client.patch(path, { expiresAt: '2027-01-15T12:00:31Z' })],
  ];

  test.each(ENDS)('does not %s by itself', async (_, end) => {
    const [first, other] = await twoAdmins();
    expect((await end(first.clients[0], other.path)).status).toBeLessThan(300);
    const response = await end(first.clients[0], first.path);
    expect(expectError(response, 'conflict')).toContain(
      'no active key or person would have the scope admin',
    );
    expect(await activeAdmins()).toHaveLength(1);
    expect((await first.clients[1].get('/v1/keys')).status).toBe(200);
  });

  test.each(ENDS)('of two that %s by each other at once stays', async (_, end) => {
    for (let round = 0; round < 5; round++) {
      const [first, other] = await twoAdmins();
      const responses = await Promise.all([
        end(first.clients[0], other.path),
        end(other.clients[1], first.path),
        end(first.clients[1], first.path),
        end(other.clients[0], other.path),
      ]);
      // A key that has just ended is refused, and a busy database makes some wait too long.
      for (const { status, text } of responses) {
        expect([200, 204, 401, 403, 409, 503], text).toContain(status);
      }
      expect(await activeAdmins()).not.toEqual([]);
    }
  });

  test('may be rotated without overlap: its successor is another one', async () => {
    const [first, other] = await twoAdmins();
    await first.clients[0].delete(other.path);
    const rotated = await first.clients[0].post(`${first.path}/rotate`, { overlapSeconds: 0 });
    expect(rotated.status).toBe(201);
    expect((await createdIn(rotated).clients[1].get('/v1/keys')).status).toBe(200);
  });
});
