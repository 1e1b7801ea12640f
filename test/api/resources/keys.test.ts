import { describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { idOf, idsOf, linksOf, targetOf } from '../../support/animals.ts';
import { type ClientResponse, createClient } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

const NEW = { name: 'Web site', plan: 'pro', scopes: ['adopt'] };
const create = (body: object = NEW) => petstore.admin.post('/v1/keys', body);
const timeText = (time: number) => new Date(time).toISOString();
const facts = ({ text }: ClientResponse) => JSON.parse(text);
const clientOf = (response: ClientResponse) =>
  createClient(() => petstore.url, facts(response).key);
const tagOf = ({ headers }: ClientResponse) => headers.get('etag') ?? '';

/** Creates a key; returns its path. */
async function pathOfNew(body: object = NEW): Promise<string> {
  return `/v1/keys/${idOf(await create(body))}`;
}

describe('POST /keys', () => {
  test('creates a key that works at once, and shows it with all its facts', async () => {
    const created = await create();
    expect(created.status).toBe(201);
    const { id, key, ...rest } = facts(created);
    expect(Object.keys(facts(created)).slice(0, 2)).toEqual(['id', 'key']);
    expect(key).toMatch(/^petstore_live_[0-9A-Za-z]{38}$/);
    expect(rest).toEqual({
      name: 'Web site',
      plan: 'pro',
      scopes: ['adopt'],
      perMinute: 300,
      perDay: 10_000,
      createdAt: timeText(petstore.clock.now()),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      status: 'active',
      ban: null,
    });
    expect(created.headers.get('location')).toBe(`${petstore.baseUrl}/keys/${id}`);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const got = await petstore.admin.get(`/v1/keys/${id}`);
    expect(facts(got)).toEqual({ id, ...rest });
    expect(tagOf(got)).toBe(tagOf(created));
    const own = await clientOf(created).get('/v1/pets');
    expect([own.status, own.headers.get('x-ratelimit-limit')]).toEqual([200, '300']);
    expectError(await clientOf(created).get('/v1/keys'), 'insufficient_scope');
  });

  test('creates a key with `write` if no scope is named, and an admin if asked', async () => {
    expect(facts(await create({ name: 'A', plan: 'free' })).scopes).toEqual(['write']);
    const second = await create({ name: 'A', plan: 'free', scopes: ['admin', 'read', 'read'] });
    expect(facts(second).scopes).toEqual(['read', 'admin']);
    expect((await clientOf(second).get('/v1/keys')).status).toBe(200);
  });

  test('creates a key with limits of its own', async () => {
    const largest = 999_999_999_999_999;
    const own = { name: 'A', plan: 'enterprise', perMinute: 7, perDay: largest };
    const created = await create(own);
    expect(facts(created)).toMatchObject(own);
    const { headers } = await clientOf(created).get('/v1/pets');
    expect(headers.get('x-ratelimit-limit')).toBe('7');
  });

  test('creates a key that ends at a time', async () => {
    const end = petstore.clock.now() + DAY_MS;
    const offset = timeText(end + 2 * 3_600_000).replace('Z', '+02:00');
    const created = await create({ ...NEW, expiresAt: offset });
    expect(facts(created).expiresAt).toBe(timeText(end));
    petstore.clock.set(end - 1);
    expect((await clientOf(created).get('/v1/pets')).status).toBe(200);
    petstore.clock.set(end);
    expectError(await clientOf(created).get('/v1/pets'), 'invalid_api_key');
    const path = `/v1/keys/${idOf(created)}`;
    expect(facts(await petstore.admin.get(path)).status).toBe('expired');
    expectError(await petstore.admin.patch(path, { name: 'B' }), 'conflict');
    expectError(await petstore.admin.post(`${path}/rotate`, {}), 'conflict');
  });

  test.each<[object, string]>([
    [{}, 'name is required; plan is required.'],
    [{ ...NEW, name: ' ' }, 'name must not be blank.'],
    [{ ...NEW, plan: 'gold' }, 'plan must be one of free, pro, business, enterprise.'],
    [{ ...NEW, scopes: [] }, 'scopes must name at least one scope.'],
    [{ ...NEW, scopes: 'read' }, 'scopes must be a list of scopes.'],
    [{ ...NEW, scopes: null }, 'scopes must be a list of scopes.'],
    [{ ...NEW, scopes: ['all'] }, 'scopes.0 must be one of read, adopt, write, webhooks, admin.'],
    [{ ...NEW, scopes: Array(6).fill('read') }, 'scopes must name at most 5 scopes.'],
    [{ ...NEW, perMinute: 5 }, 'perMinute and perDay must be left out'],
    [{ ...NEW, plan: 'enterprise' }, 'perMinute and perDay are required'],
    [{ ...NEW, plan: 'enterprise', perDay: 5 }, 'perMinute and perDay are required'],
    [{ ...NEW, perMinute: 0 }, 'perMinute must be a whole number from 1 to 999999999999999'],
    [{ ...NEW, perDay: 1e15 }, 'perDay must be a whole number from 1 to 999999999999999'],
    [{ ...NEW, perDay: '5' }, 'perDay must be a whole number'],
    [{ ...NEW, perDay: 1.5 }, 'perDay must be a whole number'],
    [{ ...NEW, perDay: null }, 'perDay must be a whole number'],
    [{ ...NEW, expiresAt: '2027-01-15T12:00:30.250Z' }, 'expiresAt must be in the future.'],
    [{ ...NEW, expiresAt: '2027-02-30T00:00:00Z' }, 'expiresAt must be a time like'],
    [{ ...NEW, expiresAt: '2028-01-01' }, 'expiresAt must be a time like'],
    [{ ...NEW, expiresAt: '2028-01-01T00:00:00' }, 'expiresAt must be a time like'],
    [{ ...NEW, expiresAt: 1_900_000_000 }, 'expiresAt must be a time like'],
    [{ ...NEW, expiresAt: null }, 'expiresAt must be a time like'],
  ])('refuses %j', async (body, problem) => {
    const before = await petstore.storage.keys.list();
    expect(expectError(await create(body), 'invalid_body')).toStartWith(problem);
    expect(await petstore.storage.keys.list()).toHaveLength(before.length);
  });
});

test('GET /keys lists all keys by page, the newest change included', async () => {
  for (let i = 0; i < 3; i++) await create();
  const ids = (await petstore.storage.keys.list()).map(({ id }) => id);
  const pages: bigint[] = [];
  for (let next: string | undefined = '/v1/keys?limit=4'; next !== undefined; ) {
    const page: ClientResponse = await petstore.admin.get(next);
    pages.push(...idsOf(page));
    expect(page.text).not.toContain('petstore_');
    const link = linksOf(page).get('next');
    next = link && targetOf(link);
  }
  expect(pages).toEqual(ids);
  await petstore.storage.keys.revoke(ids.at(-1) ?? 0n, petstore.clock.now());
  expect(facts(await petstore.admin.get('/v1/keys?limit=100')).at(-1).status).toBe('revoked');
});

describe('PATCH /keys/{keyId}', () => {
  const NOW_TOO_LATE = '2027-01-15T12:00:30.250Z';

  test('changes name, plan and scopes, and the key obeys within a second', async () => {
    const created = await create();
    const path = `/v1/keys/${idOf(created)}`;
    const client = clientOf(created);
    expect((await client.get('/v1/pets')).status).toBe(200);
    const change = { name: 'Old web site', plan: 'business', scopes: ['read'] };
    const changed = await petstore.admin.patch(path, change);
    const { key: _, ...before } = facts(created);
    const limits = { perMinute: 1_000, perDay: 100_000 };
    const { lastUsedAt, ...after } = facts(changed);
    expect(after).toEqual({ ...before, ...change, ...limits, lastUsedAt: undefined });
    petstore.clock.advance(999);
    const listed = await client.get('/v1/pets');
    expect(listed.headers.get('x-ratelimit-limit')).toBe('1000');
    expectError(await client.post('/v1/store/orders', { petId: 1 }), 'insufficient_scope');
  });

  test.each<[object, object, object]>([
    [{ plan: 'pro' }, { plan: 'free' }, { plan: 'free', perMinute: 60, perDay: 1_000 }],
    [
      { plan: 'pro' },
      { plan: 'free', perMinute: 300, perDay: 10_000 },
      { plan: 'free', perMinute: 60, perDay: 1_000 },
    ],
    [
      { plan: 'pro' },
      { plan: 'enterprise', perMinute: 300, perDay: 10_000 },
      { plan: 'enterprise', perMinute: 300, perDay: 10_000 },
    ],
    [
      { plan: 'enterprise', perMinute: 5, perDay: 50 },
      { perMinute: 6 },
      { plan: 'enterprise', perMinute: 6, perDay: 50 },
    ],
    [
      { plan: 'enterprise', perMinute: 5, perDay: 50 },
      { plan: 'pro' },
      { plan: 'pro', perMinute: 300, perDay: 10_000 },
    ],
  ])('from %j, %j gives %j', async (from, change, expected) => {
    const path = await pathOfNew({ name: 'A', ...from });
    expect(facts(await petstore.admin.patch(path, change))).toMatchObject(expected);
  });

  test.each<[object, string]>([
    [{ perMinute: 5 }, 'perMinute and perDay must be left out'],
    [{ plan: 'enterprise' }, 'perMinute and perDay are required'],
    [{ plan: 'enterprise', perDay: 5 }, 'perMinute and perDay are required'],
    [{ scopes: [] }, 'scopes must name at least one scope.'],
    [{ expiresAt: NOW_TOO_LATE }, 'expiresAt must be in the future.'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt must be a time like'],
  ])('refuses %j', async (change, problem) => {
    const path = await pathOfNew();
    const before = (await petstore.admin.get(path)).text;
    const response = await petstore.admin.patch(path, change);
    expect(expectError(response, 'invalid_body')).toStartWith(problem);
    expect((await petstore.admin.get(path)).text).toBe(before);
  });

  test('sets the end of a key and the lifetime of its successors, and removes both', async () => {
    const path = await pathOfNew();
    const end = petstore.clock.now() + 3 * DAY_MS;
    const expiresAt = timeText(end);
    expect(facts(await petstore.admin.patch(path, { expiresAt })).expiresAt).toBe(expiresAt);
    petstore.clock.advance(DAY_MS);
    const rotated = await petstore.admin.post(`${path}/rotate`, { overlapSeconds: 60 });
    expect(facts(rotated).expiresAt).toBe(timeText(end + DAY_MS));
    // The end of the overlap is no lifetime, so sending it back changes nothing.
    const overlap = facts(await petstore.admin.get(path)).expiresAt;
    expect(overlap).toBe(timeText(petstore.clock.now() + 60_000));
    await petstore.admin.patch(path, { expiresAt: overlap });
    const again = await petstore.admin.post(`${path}/rotate`, { overlapSeconds: 60 });
    expect(facts(again).expiresAt).toBe(timeText(end + DAY_MS));
    await petstore.admin.patch(path, { expiresAt: null });
    expect(facts(await petstore.admin.get(path)).expiresAt).toBeNull();
    const third = await petstore.admin.post(`${path}/rotate`, { overlapSeconds: 60 });
    expect(facts(third).expiresAt).toBeNull();
  });

  test('with If-Match succeeds after a use and a ban, which change the tag of GET', async () => {
    const created = await create({ name: 'A', plan: 'enterprise', perMinute: 1, perDay: 1_000 });
    const path = `/v1/keys/${idOf(created)}`;
    for (let i = 0; i < 61; i++) await clientOf(created).get('/v1/pets');
    await petstore.storage.keys.recordUse(new Map([[idOf(created), petstore.clock.now()]]));
    const got = await petstore.admin.get(path);
    expect(facts(got).ban).not.toBeNull();
    expect(facts(got).lastUsedAt).not.toBeNull();
    expect(tagOf(got)).not.toBe(tagOf(created));
    expect((await petstore.admin.get(path, { 'if-none-match': tagOf(created) })).status).toBe(200);
    const headers = { 'if-match': tagOf(created) };
    expect((await petstore.admin.patch(path, { name: 'B' }, headers)).status).toBe(200);
    expectError(await petstore.admin.patch(path, { name: 'C' }, headers), 'precondition_failed');
    expectError(await petstore.admin.delete(path, headers), 'precondition_failed');
    const tag = { 'if-match': tagOf(await petstore.admin.get(path)) };
    expect((await petstore.admin.delete(path, tag)).status).toBe(204);
  });
});

test.each(['GET', 'PATCH', 'DELETE', 'POST'])('%s of an unknown key is 404', async (method) => {
  const body = method === 'PATCH' || method === 'POST' ? { body: '{}' } : {};
  for (const id of ['999999', '-1', '01', 'abc']) {
    for (const end of method === 'POST' ? ['/rotate', '/unban'] : ['']) {
      const headers = { 'content-type': 'application/json' };
      const request = { headers, ...body };
      const response = await petstore.admin.send(method, `/v1/keys/${id}${end}`, request);
      expectError(response, 'key_not_found');
    }
  }
});
