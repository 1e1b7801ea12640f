import { describe, expect, test } from 'bun:test';
import { idOf, petText } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import {
  openRawConnection,
  type RawConnection,
  requestText,
} from '../../support/raw-connection.ts';
import { startPetstore } from '../../support/start.ts';

const KIB_64 = 65_536;
const REX = '{"name":"Rex","categoryId":7}';

/** A valid body with exactly this number of bytes: blanks are allowed between tokens. */
function bodyOf(bytes: number): string {
  return REX.slice(0, -1) + ' '.repeat(bytes - REX.length) + REX.slice(-1);
}

describe('POST /v1/pets (createPet)', () => {
  const petstore = forAllTests(() => startPetstore());

  const sendAs = (contentType: string, body: Bun.BodyInit = REX) =>
    petstore.writer.send('POST', '/v1/pets', { headers: { 'content-type': contentType }, body });

  /** Starts a request whose body comes in chunks (RFC 9112, section 7.1). */
  function startChunked(): RawConnection {
    const connection = openRawConnection(petstore.port);
    const key = `Authorization: Bearer ${petstore.writer.key}`;
    const headers = ['Host: x', key, 'Content-Type: application/json'];
    connection.write(requestText('POST /v1/pets', ...headers, 'Transfer-Encoding: chunked'));
    return connection;
  }
  const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  describe('201', () => {
    test('returns the animal with its id and its location', async () => {
      const response = await petstore.writer.post('/v1/pets', {
        name: 'Rex',
        categoryId: 7,
        status: 'pending',
      });
      const id = idOf(response);
      expect(response.status).toBe(201);
      expect(response.text).toBe(petText({ id, name: 'Rex', categoryId: 7n, status: 'pending' }));
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('location')).toBe(`${petstore.url}/v1/pets/${id}`);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(response.headers.get('vary')).toBe('Authorization, Cookie');
      const got = await petstore.reader.get(`/v1/pets/${id}`);
      expect(response.headers.get('etag')).toBe(got.headers.get('etag'));
      expect(got.text).toBe(response.text);
    });

    test.each(['available', 'pending', 'sold'] as const)('accepts status %s', async (status) => {
      const response = await petstore.writer.post('/v1/pets', { name: 'A', categoryId: 1, status });
      expect(response.text).toEndWith(`"status":"${status}"}`);
    });

    test('makes an animal available if no status is sent', async () => {
      const response = await petstore.writer.post('/v1/pets', REX);
      expect(response.text).toEndWith('"status":"available"}');
    });

    test('assigns increasing ids', async () => {
      const ids: bigint[] = [];
      for (let i = 0; i < 3; i++) ids.push(idOf(await petstore.writer.post('/v1/pets', REX)));
      expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
      expect(new Set(ids).size).toBe(3);
    });

    test.each([
      ['blanks at the ends', '  Rex '],
      ['one character', 'x'],
      ['255 characters', 'é'.repeat(255)],
      ['255 characters beyond the Basic Multilingual Plane', '😺'.repeat(255)],
      ['composed and decomposed letters', '\u00e9 e\u0301'],
      ['quotes and backslashes', `"'\\/\`<script>`],
      ['line separators that are no control characters', 'a\u2028b\u2029c'],
      ['a zero-width joiner inside', 'a\u200db'],
      ['a noncharacter and a byte-order mark inside', 'a\uffff\ufeffb'],
    ])('stores a name exactly as sent: %s', async (_, name) => {
      const created = await petstore.writer.post('/v1/pets', { name, categoryId: 1 });
      expect(created.status).toBe(201);
      const got = await petstore.reader.get(`/v1/pets/${idOf(created)}`);
      expect(got.text).toBe(
        petText({ id: idOf(created), name, categoryId: 1n, status: 'available' }),
      );
    });

    test.each([
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      'application/json; charset="UTF-8"',
      'application/json ; charset=utf-8 ; x=y',
      'application/json;',
      'application/json; profile="a b"',
    ])('accepts the media type %s', async (type) => {
      expect((await sendAs(type)).status).toBe(201);
    });

    test('accepts a body of 64 KiB, whole or in chunks', async () => {
      expect((await sendAs('application/json', bodyOf(KIB_64))).status).toBe(201);
      using connection = startChunked();
      for (let at = 0; at < KIB_64; at += 10_000) {
        connection.write(chunkOf(bodyOf(KIB_64).slice(at, at + 10_000)));
      }
      connection.write(chunkOf(''));
      expect((await connection.response())?.status).toBe(201);
    });
  });

  describe('400', () => {
    const bytes = (...values: (string | number)[]) =>
      Buffer.concat(values.map((v) => (typeof v === 'string' ? Buffer.from(v) : Buffer.of(v))));

    test.each<[string, Bun.BodyInit]>([
      ['nothing', ''],
      ['blanks', '  '],
      ['half an object', '{"name":"Rex"'],
      ['a trailing comma', '{"name":"Rex","categoryId":7,}'],
      ['single quotes', "{'name':'Rex','categoryId':7}"],
      ['something after it', `${REX} x`],
      ['two values', REX + REX],
      ['NaN', '{"name":"Rex","categoryId":NaN}'],
      ['a number that starts with 0', '{"name":"Rex","categoryId":07}'],
      ['a bare control character', '{"name":"a\nb","categoryId":7}'],
      ['a byte-order mark', bytes(0xef, 0xbb, 0xbf, REX)],
      ['bytes that are not UTF-8', bytes('{"name":"', 0xff, '","categoryId":7}')],
      ['an overlong encoding', bytes('{"name":"', 0xc0, 0x80, '","categoryId":7}')],
      ['an encoded surrogate', bytes('{"name":"', 0xed, 0xa0, 0x80, '","categoryId":7}')],
      ['UTF-16', Buffer.from(REX, 'utf16le')],
      ['a repeated key', '{"name":"Rex","categoryId":7,"name":"Tom"}'],
      ['a repeated key of the same value', '{"name":"Rex","categoryId":7,"categoryId":7}'],
      [
        'a repeated key that is spelled differently',
        '{"name":"a","n\\u0061me":"b","categoryId":7}',
      ],
      ['a repeated key that is ignored', '{"x":{"y":1,"y":2},"name":"Rex","categoryId":7}'],
      ['a repeated __proto__', '{"__proto__":1,"__proto__":2,"name":"Rex","categoryId":7}'],
      ['nesting without end', '['.repeat(30_000)],
      ['deep nesting', `{"x":${'['.repeat(30_000)}${']'.repeat(30_000)},${REX.slice(1)}`],
    ])('invalid_json for %s', async (_, body) => {
      const message = expectError(await sendAs('application/json', body), 'invalid_json');
      expect(message).toStartWith('The request body ');
    });

    test.each([
      ['name', '{"categoryId":7}', 'is required'],
      ['categoryId', '{"name":"Rex"}', 'is required'],
      ['name', '{"name":null,"categoryId":7}', 'must be a string'],
      ['name', '{"name":5,"categoryId":7}', 'must be a string'],
      ['name', '{"name":["Rex"],"categoryId":7}', 'must be a string'],
      ['name', '{"name":"","categoryId":7}', 'must not be empty'],
      ['name', '{"name":" \\u00a0\\u3000","categoryId":7}', 'must not be blank'],
      ['name', '{"name":"\\u200d","categoryId":7}', 'must not be blank'],
      ['name', '{"name":"a\\u0000b","categoryId":7}', 'must not contain control characters'],
      ['name', '{"name":"a\\tb","categoryId":7}', 'must not contain control characters'],
      ['name', '{"name":"a\\u0085","categoryId":7}', 'must not contain control characters'],
      ['name', '{"name":"a\\ud83d","categoryId":7}', 'must not contain half of a surrogate pair'],
      ['name', `{"name":"${'x'.repeat(256)}","categoryId":7}`, 'must have at most 255 characters'],
      ['name', `{"name":"${'😺'.repeat(256)}","categoryId":7}`, 'must have at most 255 characters'],
      ['status', '{"name":"Rex","categoryId":7,"status":null}', 'must be one of available'],
      ['status', '{"name":"Rex","categoryId":7,"status":""}', 'must be one of available'],
      ['status', '{"name":"Rex","categoryId":7,"status":"SOLD"}', 'must be one of available'],
      ['status', '{"name":"Rex","categoryId":7,"status":["sold"]}', 'must be one of available'],
    ])('invalid_body for the field %s in %s', async (field, body, problem) => {
      const response = await petstore.writer.post('/v1/pets', body);
      expect(expectError(response, 'invalid_body')).toStartWith(`${field} ${problem}`);
    });

    test('invalid_body names every problem at once', async () => {
      const response = await petstore.writer.post('/v1/pets', { name: '', status: 'gone' });
      const message = expectError(response, 'invalid_body');
      for (const field of ['name must', 'categoryId is required', 'status must']) {
        expect(message).toContain(field);
      }
    });

    test('adds nothing', async () => {
      const before = await petstore.storage.pets.count();
      await petstore.writer.post('/v1/pets', '{"name":"","categoryId":7}');
      await petstore.writer.post('/v1/pets', '{');
      expect(await petstore.storage.pets.count()).toBe(before);
    });
  });

  describe('413', () => {
    test('for a Content-Length over 64 KiB, before any of the body is sent', async () => {
      using connection = openRawConnection(petstore.port);
      connection.write(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${petstore.writer.key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${KIB_64 + 1}\r\n\r\n`,
      );
      const response = await connection.response();
      expect(expectError(response, 'body_too_large')).toContain('65536');
    });

    test('for a chunked body as soon as it exceeds 64 KiB', async () => {
      using connection = startChunked();
      connection.write(chunkOf(bodyOf(KIB_64)));
      connection.write(chunkOf(' '));
      // The last chunk never comes.
      expectError(await connection.response(), 'body_too_large');
    });

    test('for a body of 10 MB, and the next request is served', async () => {
      expectError(await sendAs('application/json', bodyOf(10_000_000)), 'body_too_large');
      expect((await sendAs('application/json')).status).toBe(201);
    });
  });

  describe('415', () => {
    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/*',
      'application/merge-patch+json',
      'application/json, text/plain',
      '*/*',
      'json',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/json; charset="utf-8',
      'application/json; charset',
      'application/json; =x',
      'application/json; charset=',
    ])('for the media type %s', async (type) => {
      const message = expectError(await sendAs(type), 'unsupported_media_type');
      expect(message).toMatch(/application\/json|Content-Type/);
    });

    test('without a media type', async () => {
      const response = await petstore.writer.send('POST', '/v1/pets', { body: Buffer.from(REX) });
      expect(expectError(response, 'unsupported_media_type')).toContain('Content-Type');
    });

    test.each(['gzip', 'identity', 'br'])('for the Content-Encoding %s', async (encoding) => {
      const response = await petstore.writer.send('POST', '/v1/pets', {
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body: encoding === 'gzip' ? Bun.gzipSync(REX) : REX,
      });
      expect(expectError(response, 'unsupported_media_type')).toContain('Content-Encoding');
    });
  });
});
