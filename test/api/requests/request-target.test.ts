import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { type RawResponse, requestText, sendRaw } from '../../support/raw-connection.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  await addAnimals(petstore.storage, [{ name: 'Rex' }]);
});

/** Sends a request line and Host headers as they are, with a valid key. */
const sendLine = (line: string, ...hosts: string[]): Promise<RawResponse | undefined> =>
  sendRaw(
    petstore.port,
    requestText(line, ...hosts, `Authorization: Bearer ${petstore.admin.key}`),
  );
const HOST = 'Host: petstore.example';

describe('a path', () => {
  test.each(['/v1/%70ets', '/v1/p%65t%73', '/v1/pets?', '/v1/pets?&&'])(
    '%s is /v1/pets: percent-encoding is decoded, once',
    async (path) => {
      const response = await sendLine(`GET ${path}`, HOST);
      expect(response?.status).toBe(200);
      expect(response?.body).toStartWith('[{"id":1');
    },
  );

  test.each([
    '/v1/pets/',
    '/v1/pets//',
    '/v1//pets',
    '/v1/PETS',
    '/v1/pets%2F',
    '/v1%2Fpets',
    '/v1/pets%3Fx',
    '/v1/%2570ets',
    '/v1/pets;x=1',
    '/v1/pets%20',
    '/v1/pets%00',
    '/v1',
    '/v1/',
    '/v1/unknown',
    '/v1/store',
    '/v1/pets.json',
    '/v1/é',
    '/v1/%C3%A9',
  ])('%s is another path: route_not_found', async (path) => {
    const message = expectError(await sendLine(`GET ${path}`, HOST), 'route_not_found');
    expect(message).toContain('Paths start with /v1');
  });

  test.each(['/v2/pets', '/v1pets', '/pets', '/V1/pets', '//v1/pets', '/index.html', '/%76'])(
    '%s is outside the interface: the same 404, without a key',
    async (path) => {
      // Not with fetch: it collapses two slashes into one.
      const response = await sendRaw(petstore.port, requestText(`GET ${path}`, HOST));
      expectError(response, 'route_not_found');
      expect(response?.headers.get('vary')).toBeUndefined();
      expect(response?.headers.get('x-ratelimit-limit')).toBeUndefined();
    },
  );

  test.each([
    '/v1/pets/%',
    '/v1/pets/%4',
    '/v1/pets/%zz',
    '/v1/pets/%ff',
    '/v1/pets/%c0%80',
    '/v1/pets/%ed%a0%80',
    '/v1/%F8ets',
    '/v1/pets?name=%',
    '/v1/pets?%c3=1',
  ])('%s cannot be decoded: invalid_request', async (path) => {
    expectError(await sendLine(`GET ${path}`, HOST), 'invalid_request');
  });

  test('that cannot be decoded is an error outside the interface too', async () => {
    expectError(await sendRaw(petstore.port, requestText('GET /%zz', HOST)), 'invalid_request');
  });

  test.each(['/v1/pets#x', '/v1/pets?name=x#y', '/v1/pets#'])(
    '%s has a fragment: invalid_request',
    async (path) => {
      expectError(await sendLine(`GET ${path}`, HOST), 'invalid_request');
    },
  );

  test('in absolute form is routed by its path', async () => {
    const response = await sendLine('GET http://elsewhere.example/v1/pets', HOST);
    expect(response?.status).toBe(200);
  });

  test.each(['/v1/pets/../../livez', '/v1/./pets', '/v1/x/../pets'])(
    'with dots is a path without them, never a way around the key: %s',
    async (path) => {
      const response = await sendRaw(petstore.port, requestText(`GET ${path}`, HOST));
      expect(response?.status).toBe(path.endsWith('livez') ? 200 : 401);
    },
  );
});

describe('the Host header', () => {
  test.each([
    ['given twice', ['Host: a', 'Host: b']],
    ['given twice alike', ['Host: a', 'Host: a']],
    ['that is empty', ['Host:']],
    ['with a blank', ['Host: a b']],
    ['with a path', ['Host: a/v1']],
    ['with a user', ['Host: user@a']],
    ['with a query', ['Host: a?b']],
    ['with a port that is none', ['Host: a:b']],
    ['with a port too long', ['Host: a:123456']],
    ['with an open bracket', ['Host: [::1']],
    ['of two names', ['Host: a, b']],
  ])('%s is invalid_request', async (_, hosts) => {
    const message = expectError(await sendLine('GET /v1/pets', ...hosts), 'invalid_request');
    expect(message).toContain('Host');
    expectError(
      await sendRaw(petstore.port, requestText('GET /livez', ...hosts)),
      'invalid_request',
    );
  });

  test.each(['a', 'a.b-c.example:8080', '127.0.0.1', '[::1]:80', 'a:', 'under_score', 'A%20'])(
    'may be %s',
    async (host) => {
      expect((await sendLine('GET /v1/pets', `Host: ${host}`))?.status).toBe(200);
    },
  );

  test('is reported only to a client with a key', async () => {
    const response = await sendRaw(
      petstore.port,
      requestText('GET /v1/pets', 'Host: a', 'Host: b'),
    );
    expectError(response, 'missing_api_key');
  });

  test('may be absent with HTTP/1.0', async () => {
    const response = await sendRaw(
      petstore.port,
      `GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${petstore.reader.key}\r\n\r\n`,
    );
    expect(response?.status).toBe(200);
    expect(response?.headers.get('link')).toBe(`<${petstore.baseUrl}/pets>; rel="first"`);
    const health = await sendRaw(petstore.port, 'GET /livez HTTP/1.0\r\n\r\n');
    expect(health?.status).toBe(200);
  });

  test('that is absent with HTTP/1.1 is refused by the runtime, as a documented quirk', async () => {
    const response = await sendRaw(petstore.port, 'GET /v1/pets HTTP/1.1\r\n\r\n');
    expect(response?.status).toBe(400);
    expect(response?.body).toBe('');
  });
});

describe('a method', () => {
  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND'])(
    '%s that is not served is 405 if the runtime passes it on',
    async (method) => {
      const response = await sendLine(`${method} /v1/pets`, HOST);
      const message = expectError(response, 'method_not_allowed');
      expect(message).toStartWith(method);
      expect(response?.headers.get('allow')).toBe('GET, HEAD, POST');
    },
  );

  test.each(['BREW', 'get', 'FOO'])(
    '%s, an unknown method, ends the connection',
    async (method) => {
      const response = await sendLine(`${method} /v1/pets`, HOST);
      if (response !== undefined) expect(response.status).toBeOneOf([400, 405, 501]);
    },
  );

  test('CONNECT to another host is invalid_request, never a crash', async () => {
    expectError(await sendLine('CONNECT elsewhere.example:443', HOST), 'invalid_request');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
    '%s to a page outside the interface is 405',
    async (method) => {
      const response = await petstore.anonymous.send(method, '/livez');
      expectError(response, 'method_not_allowed');
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    },
  );
});

describe('input that is not HTTP', () => {
  test.each([
    ['no request', 'hello\r\n\r\n'],
    ['zero bytes', '\0\0\0\0\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00'],
    ['another version', requestText('GET /v1/pets', HOST).replace('1.1', '3.0')],
    ['a header without a name', requestText('GET /livez', HOST, ': x')],
    ['a broken length', requestText('POST /v1/pets', HOST, 'Content-Length: x')],
    ['two lengths', requestText('POST /v1/pets', HOST, 'Content-Length: 1', 'Content-Length: 2')],
    [
      'a length and chunks',
      requestText('POST /v1/pets', HOST, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    ],
    [
      'headers over the bound of the runtime',
      requestText('GET /livez', HOST, `X: ${'x'.repeat(20_000)}`),
    ],
  ])('gets an HTTP error or a closed connection: %s', async (_, bytes) => {
    const response = await sendRaw(petstore.port, `${bytes}\r\n\r\n`);
    if (response !== undefined) {
      expect(response.statusLine).toMatch(/^HTTP\/1\.1 [45]\d\d /);
      expect(response.status).not.toBe(500);
    }
    expect((await petstore.reader.get('/v1/pets')).status).toBe(200);
  });
});
