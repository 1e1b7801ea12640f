import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BUNDLE_PATH } from '../../../src/site/reference.ts';
import { document, member } from '../../contract/violations.ts';
import { expectError } from '../../support/expect-error.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};
const METHODS = Object.values(Object(member(document, 'paths'))).flatMap((each) =>
  Object.keys(Object(each)),
);
/** Every header that the document names in a response, but for the one that lets the page read. */
const EXPOSED = Object.values(Object(member(document, 'paths')))
  .flatMap((path) => Object.values(Object(path)))
  .flatMap((operation) =>
    Object.keys(member(Object(operation), 'responses') ?? {}).map((status) =>
      member(member(Object(operation), 'responses'), status),
    ),
  )
  .flatMap((response) => Object.keys(member(response, 'headers') ?? {}))
  .filter((name) => name !== 'Access-Control-Allow-Origin');

describe('CORS, off by default,', () => {
  let petstore: TestPetstore;
  beforeAll(async () => {
    petstore = await startPetstore();
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  test('adds no header, and a preflight is an ordinary request', async () => {
    for (const response of [
      await petstore.reader.get('/v1/pets', { origin: SHOP }),
      await petstore.reader.get('/livez', { origin: SHOP }),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(response.headers.get('access-control-expose-headers')).toBeNull();
      expect(response.headers.get('vary') ?? '').not.toContain('Origin');
    }
    const headers = { ...PREFLIGHT, origin: SHOP };
    expectError(
      await petstore.anonymous.send('OPTIONS', '/v1/pets', { headers }),
      'missing_api_key',
    );
  });
});

describe('CORS for named origins', () => {
  let petstore: TestPetstore;
  beforeAll(async () => {
    const settings = { PETSTORE_CORS_ORIGINS: `${SHOP}, http://localhost:3000` };
    petstore = await startPetstore({ settings });
  });
  afterAll(() => petstore[Symbol.asyncDispose]());

  const preflight = (origin: string, path = '/v1/pets', extra = {}) =>
    petstore.anonymous.send('OPTIONS', path, { headers: { ...PREFLIGHT, origin, ...extra } });

  test.each([SHOP, 'http://localhost:3000'])(
    'responds to a preflight of %s without a key',
    async (origin) => {
      const { status, headers, text } = await preflight(origin);
      expect(status).toBe(204);
      expect(text).toBe('');
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      const methods = headers.get('access-control-allow-methods')?.toLowerCase().split(', ');
      expect(methods?.toSorted()).toEqual([...new Set([...METHODS, 'head'])].sort());
      const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
      expect(allowed).toContain('authorization');
      expect(allowed).toContain('content-type');
      expect(allowed).toContain('if-none-match');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toBe('Authorization, Cookie, Origin');
      expect(headers.get('x-request-id')).toBeString();
    },
  );

  test('responds to a preflight for every path, so that a script can read an error', async () => {
    expect((await preflight(SHOP, '/v1/unknown')).status).toBe(204);
    expect((await preflight(SHOP, '/v1/pets/1')).status).toBe(204);
  });

  test.each([
    OTHER,
    'null',
    'https://shop.example:444',
    'http://shop.example',
    `${SHOP}.evil.example`,
  ])('lets no page of %s read anything', async (origin) => {
    const refused = await preflight(origin);
    expectError(refused, 'missing_api_key');
    const got = await petstore.reader.get('/v1/pets', { origin });
    expect(got.status).toBe(200);
    for (const { headers } of [refused, got]) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toBe('Authorization, Cookie, Origin');
    }
  });

  test('an OPTIONS that is not a preflight is 405', async () => {
    const request = { headers: { origin: SHOP } };
    expectError(await petstore.reader.send('OPTIONS', '/v1/pets', request), 'method_not_allowed');
    const withoutOrigin = { headers: PREFLIGHT };
    expectError(
      await petstore.reader.send('OPTIONS', '/v1/pets', withoutOrigin),
      'method_not_allowed',
    );
  });

  test('every response allows the page to read it, with every header of the interface', async () => {
    const origin = { origin: SHOP };
    for (const response of [
      await petstore.reader.get('/v1/pets', origin),
      await petstore.reader.get('/v1/pets', { ...origin, 'if-none-match': '*' }),
      await petstore.reader.get('/v1/pets/1', origin),
      await petstore.anonymous.get('/v1/pets', origin),
      await petstore.reader.send('PUT', '/v1/pets', { headers: origin }),
      await petstore.anonymous.get('/livez', origin),
      await petstore.anonymous.get('/nowhere', origin),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe(SHOP);
      const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? [];
      expect(exposed).toEqual(expect.arrayContaining([...new Set(EXPOSED), 'Allow']));
      expect(response.headers.get('vary')).toContain('Origin');
    }
  });

  test('a response to a request without Origin varies by Origin too', async () => {
    const { headers } = await petstore.reader.get('/v1/pets');
    expect(headers.get('vary')).toBe('Authorization, Cookie, Origin');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    for (const [path, vary] of [
      ['/livez', 'Origin'],
      ['/openapi.json', 'Accept-Encoding, Origin'],
      ['/nowhere', 'Origin'],
      [BUNDLE_PATH, 'Accept-Encoding, Origin'],
    ] as const) {
      const { headers } = await petstore.anonymous.get(path);
      expect(headers.get('vary')).toBe(vary);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await preflight(SHOP, '/livez')).headers.get('vary')).toBe('Origin');
  });
});

test('CORS for all origins names the origin of the request', async () => {
  await using petstore = await startPetstore({ settings: { PETSTORE_CORS_ORIGINS: '*' } });
  for (const origin of [SHOP, OTHER]) {
    const response = await petstore.reader.get('/v1/pets', { origin });
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('vary')).toBe('Authorization, Cookie, Origin');
  }
});
