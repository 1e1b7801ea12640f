import { describe, expect, test } from 'bun:test';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { openRawConnection, requestText } from '../../support/raw-connection.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

/** Sends the head of a POST whose body never comes. */
async function postWithoutBody(...headers: string[]) {
  using connection = openRawConnection(petstore.port);
  connection.write(requestText('POST /v1/pets', 'Host: x', 'Content-Length: 1000', ...headers));
  return await connection.response();
}
const JSON_TYPE = 'Content-Type: application/json';

describe('the order of checks', () => {
  test.each([
    ['GET', '/v1/unknown'],
    ['GET', '/v1'],
    ['GET', '/v1/pets/'],
    ['DELETE', '/v1/pets'],
    ['OPTIONS', '/v1/pets'],
    ['GET', '/v1/pets?limit=0'],
    ['GET', '/v1/pets?%zz'],
    ['GET', `/v1/pets?${'x'.repeat(9_000)}`],
  ])('without a key everything under /v1 is 401: %s %s', async (method, path) => {
    expectError(await petstore.anonymous.send(method, path), 'missing_api_key');
  });

  test('401 is sent before the body is read', async () => {
    expectError(await postWithoutBody(JSON_TYPE), 'missing_api_key');
    expectError(await postWithoutBody(JSON_TYPE, 'Authorization: Bearer x'), 'invalid_api_key');
  });

  test('403 is sent before the body is read', async () => {
    const key = `Authorization: Bearer ${petstore.reader.key}`;
    expectError(await postWithoutBody(JSON_TYPE, key), 'insufficient_scope');
  });

  test('404 and 405 are sent before the body is read', async () => {
    for (const [line, code] of [
      ['POST /v1/unknown', 'route_not_found'],
      ['PUT /v1/pets', 'method_not_allowed'],
    ] as const) {
      using connection = openRawConnection(petstore.port);
      const key = `Authorization: Bearer ${petstore.writer.key}`;
      connection.write(requestText(line, 'Host: x', 'Content-Length: 1000', key));
      expectError(await connection.response(), code);
    }
  });

  test('415 is sent before the body is read', async () => {
    const key = `Authorization: Bearer ${petstore.writer.key}`;
    expectError(await postWithoutBody('Content-Type: text/plain', key), 'unsupported_media_type');
  });

  test('405 comes before 403: every key may learn which methods a path has', async () => {
    const { client } = await petstore.keyWith({ scopes: [] });
    expectError(await client.send('PUT', '/v1/pets'), 'method_not_allowed');
    expectError(await client.get('/v1/unknown'), 'route_not_found');
    expectError(await client.get('/v1/pets?limit=0'), 'insufficient_scope');
  });

  test('a connection stays usable after every kind of error', async () => {
    using connection = openRawConnection(petstore.port);
    const key = `Authorization: Bearer ${petstore.writer.key}`;
    const body = '{"name":"Rex","categoryId":1}';
    for (const [line, status, ...headers] of [
      ['GET /v1/pets', 401],
      ['GET /v1/pets', 200, key],
      ['POST /v1/pets', 403, `Authorization: Bearer ${petstore.reader.key}`, JSON_TYPE],
      ['POST /v1/pets', 415, key],
      ['GET /v1/pets?limit=x', 400, key],
      ['POST /v1/pets', 201, key, JSON_TYPE],
      ['GET /nowhere', 404],
    ] as const) {
      const length = line.startsWith('POST') ? [`Content-Length: ${body.length}`] : [];
      connection.write(requestText(line, 'Host: x', ...length, ...headers));
      if (length.length > 0) connection.write(body);
      expect((await connection.response())?.status).toBe(status);
    }
  });
});

describe('X-Request-Id', () => {
  const idOf = async (sent?: string) => {
    const headers = sent === undefined ? {} : { 'x-request-id': sent };
    return (await petstore.reader.get('/v1/pets', headers)).headers.get('x-request-id') ?? '';
  };

  test.each(['a', '0', 'A-z_0.9', '.', '-', 'x'.repeat(128)])('is echoed: %s', async (id) => {
    expect(await idOf(id)).toBe(id);
  });

  test.each(['', 'a b', 'a,b', 'a/b', 'é', 'a"b', 'x'.repeat(129), '{}', 'a\tb'])(
    'is a new UUID instead of %p',
    async (id) => {
      expect(await idOf(id)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    },
  );

  test('differs for each request', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf()));
    expect(new Set(ids).size).toBe(20);
  });

  test('is on every response, outside the interface too', async () => {
    for (const path of ['/', '/livez', '/readyz', '/nowhere', '/docs', '/v1', '/v1/pets/1']) {
      const { headers } = await petstore.anonymous.get(path, { 'x-request-id': 'mine' });
      expect(headers.get('x-request-id')).toBe('mine');
    }
  });
});
