import { beforeAll, describe, expect, test } from 'bun:test';
import type { SentHeaders } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

const ALLOWED_ORIGIN = 'https://www.shop.example';
const SESSION_PATH = '/console/session';

let cookie: string;
const petstore = forAllTests(() =>
  startPetstore({ settings: { PETSTORE_CORS_ORIGINS: ALLOWED_ORIGIN } }),
);
beforeAll(async () => {
  const visitor = createVisitor(() => petstore.url);
  await visitor.signIn(petstore.admin.key);
  cookie = visitor.cookie() ?? '';
  await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 1 });
});

/** Sends a request with the cookie as any page could, with these headers and no others. */
async function sendAs(method: string, path: string, headers: SentHeaders, body?: string) {
  return petstore.anonymous.send(method, path, {
    headers: { cookie, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
}

const own = () => petstore.url;
const otherPort = () => own().replace(/\d+$/, (port) => String(Number(port) + 1));

/** The page of a service whose proxy gives it another Host, and no word of https. */
const PROXIED_ORIGIN = 'https://shop.example';

/** Headers that say which page sends, and whether a change is allowed. */
const SENDERS: readonly [what: string, headers: () => SentHeaders, allowed: boolean][] = [
  ['nothing', () => ({}), false],
  ['the same origin', () => ({ 'sec-fetch-site': 'same-origin' }), true],
  ['another site', () => ({ 'sec-fetch-site': 'cross-site' }), false],
  ['another host of the site', () => ({ 'sec-fetch-site': 'same-site' }), false],
  ['the address bar', () => ({ 'sec-fetch-site': 'none' }), false],
  ['two sites', () => ({ 'sec-fetch-site': 'same-origin, cross-site' }), false],
  ['an empty site', () => ({ 'sec-fetch-site': '' }), false],
  ['the same Origin', () => ({ origin: own() }), true],
  ['another Origin', () => ({ origin: 'https://evil.example' }), false],
  ['an Origin that CORS allows', () => ({ origin: ALLOWED_ORIGIN }), false],
  ['the Origin null', () => ({ origin: 'null' }), false],
  ['the Origin with https', () => ({ origin: own().replace('http:', 'https:') }), false],
  ['the Origin with another port', () => ({ origin: otherPort() }), false],
  ['the Origin with a path', () => ({ origin: `${own()}/` }), false],
  ['an Origin that starts like ours', () => ({ origin: `${own()}.evil.example` }), false],
  ['another name of the host', () => ({ origin: own().replace('127.0.0.1', 'localhost') }), false],
  [
    'another site with our Origin',
    () => ({ 'sec-fetch-site': 'cross-site', origin: own() }),
    false,
  ],
  [
    // A proxy may have changed Host; browsers do not let pages write Sec-Fetch-Site.
    'the same origin with a foreign Origin',
    () => ({ 'sec-fetch-site': 'same-origin', origin: PROXIED_ORIGIN }),
    true,
  ],
  ['only a Referer', () => ({ referer: `${own()}/console` }), false],
];

const CHANGES: readonly [method: string, path: string, body: string | undefined][] = [
  ['POST', '/v1/pets', '{"name":"Rex","categoryId":1}'],
  ['PATCH', '/v1/pets/1', '{"name":"Max"}'],
  ['DELETE', '/v1/pets/999', undefined],
];

describe.each(SENDERS)('a request with the cookie that names %s', (_, headers, allowed) => {
  test.each(CHANGES)(`%s is ${allowed ? 'allowed' : 'refused'}`, async (method, path, body) => {
    const response = await sendAs(method, path, headers(), body);
    if (!allowed) expectError(response, 'cross_site_request');
    else expect([200, 201, 404]).toContain(response.status);
  });

  test('reads unless the sender is another page', async () => {
    const sent = headers();
    // Neither header: a program, or an old browser. SameSite keeps it from sending the cookie across sites.
    const namesNoPage = !('sec-fetch-site' in sent) && !('origin' in sent);
    const mayRead = allowed || namesNoPage || sent['sec-fetch-site'] === 'none';
    const status = mayRead ? 200 : 403;
    expect((await sendAs('GET', '/v1/pets', headers())).status).toBe(status);
    expect((await sendAs('HEAD', '/v1/pets', headers())).status).toBe(status);
  });

  test(`signing in and out is ${allowed ? 'allowed' : 'refused'}`, async () => {
    const key = JSON.stringify({ key: petstore.writer.key });
    const signIn = await sendAs('POST', SESSION_PATH, { ...headers(), cookie: '' }, key);
    const signOut = await sendAs('DELETE', SESSION_PATH, { ...headers(), cookie: '' });
    if (headers().origin === PROXIED_ORIGIN) {
      // The cookie would cross the network in the clear.
      expectError(signIn, 'insecure_connection');
      expect(signIn.headers.has('set-cookie')).toBe(false);
      return;
    }
    if (allowed) {
      expect([signIn.status, signOut.status]).toEqual([204, 204]);
      return;
    }
    for (const response of [signIn, signOut]) {
      expectError(response, 'cross_site_request');
      expect(response.headers.has('set-cookie')).toBe(false);
    }
  });
});

describe('a refused request of another site', () => {
  test('is not charged to the key, and changes nothing', async () => {
    const { client, text } = await petstore.keyWith({ perMinute: 5 });
    const visitor = createVisitor(() => petstore.url);
    await visitor.signIn(text);
    for (let i = 0; i < 20; i++) {
      const headers = { 'sec-fetch-site': 'same-site' };
      const body = { name: 'Planted', categoryId: 1 };
      expectError(await visitor.post('/v1/pets', body, headers), 'cross_site_request');
      expectError(await visitor.get('/v1/pets', headers), 'cross_site_request');
    }
    expect((await petstore.reader.get('/v1/pets?name=planted&status=available')).text).toBe('[]');
    const { minute, ban } = JSON.parse((await client.get('/v1/usage')).text);
    expect({ remaining: minute.remaining, ban }).toEqual({ remaining: 4, ban: null });
  });
});

describe('with CORS', () => {
  test('no response lets another origin send the cookie or read what it is for', async () => {
    const from = { origin: ALLOWED_ORIGIN, 'sec-fetch-site': 'same-site' };
    const preflight = {
      origin: ALLOWED_ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const responses = [
      await sendAs('GET', '/v1/pets', from),
      await sendAs('POST', '/v1/pets', from, '{"name":"Rex","categoryId":1}'),
      await sendAs('POST', SESSION_PATH, from, JSON.stringify({ key: petstore.writer.key })),
      await sendAs('DELETE', SESSION_PATH, from),
      await petstore.anonymous.send('OPTIONS', '/v1/pets', { headers: preflight }),
      await petstore.anonymous.send('OPTIONS', SESSION_PATH, { headers: preflight }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 204, 204]);
    for (const { headers } of responses) {
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  test('responses vary by cookie, and are for no shared cache', async () => {
    for (const path of ['/v1/pets', '/v1/usage', '/v1/nothing']) {
      const { headers } = await sendAs('GET', path, {});
      expect(headers.get('vary')).toBe('Authorization, Cookie, Origin');
      expect(headers.get('cache-control')).toBe('private, no-cache');
    }
  });
});
