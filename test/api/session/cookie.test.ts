import { describe, expect, test } from 'bun:test';
import { secureRandomBytes } from '../../../src/domain/secrets.ts';
import { generateSessionToken } from '../../../src/domain/session.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';
import { createVisitor } from '../../support/visitor.ts';

const HTTPS_COOKIE =
  /^__Host-petstore_session=petstore_session_[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/;

const petstore = forAllTests(() => startPetstore());

const visit = (server = petstore) => createVisitor(() => server.url);

/** Signs in and returns the visitor with the Cookie header. */
async function signedIn(server = petstore) {
  const visitor = visit(server);
  expect((await visitor.signIn(server.writer.key)).status).toBe(204);
  return { visitor, cookie: visitor.cookie() ?? '' };
}

describe('fixation', () => {
  test('a token that the client chose is never adopted', async () => {
    const chosen = `petstore_session=${generateSessionToken(secureRandomBytes)}`;
    const visitor = visit();
    await visitor.signIn(petstore.writer.key, { cookie: chosen });
    expect(visitor.cookie()).not.toBe(chosen);
    expectError(await visit().get('/v1/pets', { cookie: chosen }), 'invalid_api_key');
    expect((await visitor.get('/v1/pets')).status).toBe(200);
  });

  test('signing in again gives another token and ends the old session', async () => {
    const { visitor, cookie } = await signedIn();
    expect((await visitor.get('/v1/pets')).status).toBe(200);
    await visitor.signIn(petstore.reader.key);
    expect(visitor.cookie()).not.toBe(cookie);
    expectError(await visit().get('/v1/pets', { cookie }), 'invalid_api_key');
    const { key } = JSON.parse((await visitor.get('/v1/usage')).text);
    expect(key.name).toBe('the read client');
  });

  test('a wrong key ends no session', async () => {
    const { visitor, cookie } = await signedIn();
    expectError(await visitor.signIn('petstore_live_wrong'), 'invalid_api_key');
    expect((await visit().get('/v1/pets', { cookie })).status).toBe(200);
  });
});

describe('two tabs', () => {
  test('share a session, and signing out in one signs out the other', async () => {
    const { visitor, cookie } = await signedIn();
    const tab = visit();
    expect((await tab.get('/v1/pets', { cookie })).status).toBe(200);
    await visitor.signOut();
    expectError(await tab.get('/v1/pets', { cookie }), 'invalid_api_key');
    const body = { name: 'Rex', categoryId: 1 };
    expectError(await tab.post('/v1/pets', body, { cookie }), 'invalid_api_key');
  });
});

describe('a cookie that is no session of this service', () => {
  const token = () => generateSessionToken(secureRandomBytes);

  test.each<[string, () => string]>([
    ['unknown', token],
    ['empty', () => ''],
    ['short', () => token().slice(0, -1)],
    ['long', () => `${token()}0`],
    ['quoted', () => `"${token()}"`],
    ['encoded', () => encodeURIComponent(`${token()}%`)],
    ['huge', () => 'x'.repeat(12_000)],
    ['full of equal signs', () => '='.repeat(2_000)],
    ['an API key', () => petstore.admin.key ?? ''],
    ['SQL', () => `' OR 1=1 --`],
  ])('is refused: %s', async (_, value) => {
    const response = await visit().get('/v1/pets', { cookie: `petstore_session=${value()}` });
    expect(expectError(response, 'invalid_api_key')).toContain('sign in again');
  });

  test('of another deployment on the same host is refused', async () => {
    await using staging = await startPetstore({ environment: 'staging' });
    // Browsers send the cookies of a host to all its ports.
    const { cookie } = await signedIn(staging);
    expect((await visit(staging).get('/v1/pets', { cookie })).status).toBe(200);
    expectError(await visit().get('/v1/pets', { cookie }), 'invalid_api_key');
  });

  test.each(['petstore_session2', 'Petstore_session', 'xpetstore_session', 'session'])(
    'is ignored if it is named %s',
    async (name) => {
      const { cookie } = await signedIn();
      const renamed = cookie.replace('petstore_session=', `${name}=`);
      expectError(await visit().get('/v1/pets', { cookie: renamed }), 'missing_api_key');
    },
  );
});

describe('among other cookies', () => {
  test('the session is found, and the others are ignored', async () => {
    const { cookie } = await signedIn();
    for (const all of [`a=b; ${cookie}`, `${cookie};c`, `a="x; ${cookie}; =;;`, `; ${cookie}`]) {
      expect((await visit().get('/v1/pets', { cookie: all })).status).toBe(200);
    }
  });

  test('two sessions are refused, whichever is first, and so is one planted beside ours', async () => {
    const { cookie } = await signedIn();
    const planted = (await signedIn()).cookie;
    for (const both of [`${cookie}; ${planted}`, `${planted}; ${cookie}`, `${cookie}; ${cookie}`]) {
      expectError(await visit().get('/v1/pets', { cookie: both }), 'invalid_api_key');
    }
    // Signing out ends both.
    expect((await visit().signOut({ cookie: `${cookie}; ${planted}` })).status).toBe(204);
    for (const one of [cookie, planted]) {
      expectError(await visit().get('/v1/pets', { cookie: one }), 'invalid_api_key');
    }
  });
});

describe('with an Authorization header', () => {
  test('the header decides, also if it is wrong', async () => {
    const { cookie } = await signedIn();
    const authorization = `Bearer ${petstore.reader.key}`;
    const { key } = JSON.parse((await visit().get('/v1/usage', { cookie, authorization })).text);
    expect(key.name).toBe('the read client');
    const wrong = await visit().get('/v1/pets', { cookie, authorization: 'Bearer wrong' });
    expect(expectError(wrong, 'invalid_api_key')).not.toContain('sign in');
    const other = await visit().get('/v1/pets', { cookie, authorization: 'Basic eDp5' });
    expectError(other, 'missing_api_key');
  });

  test('a program may send a cookie too, from anywhere', async () => {
    const headers = { authorization: `Bearer ${petstore.writer.key}`, origin: 'https://a.example' };
    const { cookie } = await signedIn();
    const response = await petstore.anonymous.post(
      '/v1/pets',
      { name: 'Rex', categoryId: 1 },
      { cookie, ...headers },
    );
    expect(response.status).toBe(201);
  });
});

describe('over https', () => {
  const BASE = 'https://shop.example/v1';

  test('behind a proxy whose address is configured, the cookie is Secure and of this host', async () => {
    await using server = await startPetstore({ settings: { PETSTORE_BASE_URL: BASE } });
    const visitor = visit(server);
    const response = await visitor.signIn(server.writer.key);
    expect(response.headers.get('set-cookie')).toMatch(HTTPS_COOKIE);
    expect((await visitor.get('/v1/pets')).status).toBe(200);
    const plain = visitor.cookie()?.replace('__Host-', '') ?? '';
    expectError(await visit(server).get('/v1/pets', { cookie: plain }), 'missing_api_key');
    // A browser that does not send Sec-Fetch-Site; the proxy has changed Host.
    const headers = { cookie: visitor.cookie() ?? '', origin: 'https://shop.example' };
    const body = { name: 'Rex', categoryId: 1 };
    expect((await server.anonymous.post('/v1/pets', body, headers)).status).toBe(201);
    const out = await visitor.signOut();
    expect(out.headers.get('set-cookie')).toBe(
      '__Host-petstore_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    );
  });

  test('a trusted proxy says whether the browser came with https', async () => {
    const settings = { PETSTORE_TRUSTED_PROXIES: '127.0.0.0/8' };
    await using server = await startPetstore({ settings });
    const from = (proto: string) => ({ 'x-forwarded-proto': proto, host: 'shop.example' });
    const visitor = visit(server);
    const signedInBy = await visitor.signIn(server.writer.key, from('https'));
    expect(signedInBy.headers.get('set-cookie')).toMatch(HTTPS_COOKIE);
    expect((await visitor.get('/v1/pets', from('https'))).status).toBe(200);
    for (const proto of ['http', 'https, http', 'http, https', '', 'httpsx']) {
      const refused = await visit(server).signIn(server.writer.key, from(proto));
      expectError(refused, 'insecure_connection');
    }
  });

  test('nobody else says so', async () => {
    const headers = { 'x-forwarded-proto': 'https', host: 'shop.example' };
    const refused = await visit().signIn(petstore.writer.key, headers);
    expect(expectError(refused, 'insecure_connection')).toContain('TLS');
    expect(refused.headers.has('set-cookie')).toBe(false);
  });
});

describe('over plain http', () => {
  test.each([
    'localhost',
    'localhost:8080',
    'shop.localhost',
    '127.0.0.1:80',
    '127.8.8.8',
    '[::1]:1',
  ])('a browser may sign in on the same machine: %s', async (host) => {
    const visitor = visit();
    expect((await visitor.signIn(petstore.writer.key, { host })).status).toBe(204);
    expect((await visitor.get('/v1/pets', { host })).status).toBe(200);
  });

  test.each(['192.168.0.7', 'shop.example', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'nobody signs in from another machine, and no cookie counts: %s',
    async (host) => {
      const { cookie } = await signedIn();
      expectError(await visit().signIn(petstore.writer.key, { host }), 'insecure_connection');
      expectError(await visit().get('/v1/pets', { host, cookie }), 'missing_api_key');
    },
  );
});

test('no token reaches the log, wherever it is sent', async () => {
  const { visitor, cookie } = await signedIn();
  const token = cookie.split('=')[1] ?? '';
  await visitor.get('/v1/pets');
  for (const path of [`/v1/pets/${token}`, `/${token}`, `/v1/pets?x=${token}`]) {
    await visitor.get(path, { 'x-request-id': token, referer: token });
  }
  // With workers the last lines arrive a moment later.
  const lines = await eventually(
    async () => petstore.log.join(''),
    (text) => text.includes('petstore_session_...'),
  );
  expect(lines).toContain('"path":"/console/session"');
  expect(lines).not.toContain(token.slice(-40));
});
