import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals, idsOf, petText } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

describe('GET /v1/pets (listPets)', () => {
  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    await addAnimals(petstore.storage, [
      { name: 'Rex', categoryId: 7n, status: 'available' },
      { name: 'Mia', categoryId: 8n, status: 'pending' },
      { name: 'Tom', categoryId: 7n, status: 'sold' },
    ]);
  });

  describe('200', () => {
    test('lists animals as a bare array, ascending by id', async () => {
      const response = await petstore.reader.get('/v1/pets');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      const animals = [
        petText({ id: 1n, name: 'Rex', categoryId: 7n, status: 'available' }),
        petText({ id: 2n, name: 'Mia', categoryId: 8n, status: 'pending' }),
        petText({ id: 3n, name: 'Tom', categoryId: 7n, status: 'sold' }),
      ];
      expect(response.text).toBe(`[${animals.join(',')}]`);
    });

    test('ignores unknown parameters and a body', async () => {
      const response = await petstore.reader.get('/v1/pets?color=red&color=&Limit=0');
      expect(idsOf(response)).toEqual([1n, 2n, 3n]);
    });

    test('HEAD has the same headers and no body', async () => {
      const got = await petstore.reader.get('/v1/pets?limit=2');
      const head = await petstore.reader.head('/v1/pets?limit=2');
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
      for (const name of ['content-type', 'etag', 'link', 'vary', 'cache-control']) {
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      }
    });
  });

  describe('304', () => {
    test.each([
      ['the tag itself', (tag: string) => tag],
      ['the tag as a weak one', (tag: string) => `W/${tag}`],
      ['a list that has it', (tag: string) => `"other", W/"more" ,${tag}`],
      ['any tag', () => '*'],
    ])('for %s in If-None-Match', async (_, field) => {
      const { headers } = await petstore.reader.get('/v1/pets');
      const tag = headers.get('etag') ?? '';
      for (const method of ['GET', 'HEAD']) {
        const response = await petstore.reader.send(method, '/v1/pets', {
          headers: { 'if-none-match': field(tag) },
        });
        expect(response.status).toBe(304);
        expect(response.text).toBe('');
        expect(response.headers.get('etag')).toBe(tag);
        expect(response.headers.get('link')).toBe(headers.get('link'));
        expect(response.headers.get('content-type')).toBeNull();
        expect(response.headers.get('vary')).toBe('Authorization, Cookie');
      }
    });

    test('not for another tag or that of another page', async () => {
      const { headers } = await petstore.reader.get('/v1/pets?limit=1');
      for (const tag of ['"0000000000000000"', headers.get('etag') ?? '', 'x', '""']) {
        const response = await petstore.reader.get('/v1/pets', { 'if-none-match': tag });
        expect(response.status).toBe(200);
      }
    });

    test('not after the page has changed, or only its links', async () => {
      const before = await petstore.reader.get('/v1/pets?limit=4');
      await addAnimals(petstore.storage, [{ name: 'New' }]);
      const grown = await petstore.reader.get('/v1/pets?limit=4', {
        'if-none-match': before.headers.get('etag') ?? '',
      });
      expect(grown.status).toBe(200);
      await addAnimals(petstore.storage, [{ name: 'Beyond the page' }]);
      const linked = await petstore.reader.get('/v1/pets?limit=4', {
        'if-none-match': grown.headers.get('etag') ?? '',
      });
      expect(linked.status).toBe(200);
      expect(linked.text).toBe(grown.text);
      expect(linked.headers.get('link')).toContain('rel="next"');
    });
  });

  describe('400', () => {
    test.each([
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=1.5',
      'limit=abc',
      'limit=',
      'limit',
      'limit=01',
      'limit=+5',
      'limit=5&limit=5',
      'limit=9999999999999999999',
      'limit=%31%30%31',
      'limit=5%00',
      'status=',
      'status=gone',
      'status=Available',
      'status=sold&status=',
      'status=sold,gone',
      'status=sold,',
      'id=',
      'id=abc',
      'id=1,',
      'id=,1',
      'id=1,,2',
      'id=01',
      'id=1.0',
      'id=%2B1',
      'id=1&id=',
      'id=9223372036854775808',
      'id=-9223372036854775809',
      'id=1,%202',
      'categoryId=',
      'categoryId=1e3',
      'categoryId=9223372036854775808',
      'categoryId=1,2',
      'categoryId=-0',
      'categoryId=1&categoryId=1',
      'name=',
      'name=a&name=b',
      'cursor=',
      'cursor=a&cursor=a',
    ])('invalid_parameter for ?%s', async (query) => {
      const message = expectError(
        await petstore.reader.get(`/v1/pets?${query}`),
        'invalid_parameter',
      );
      expect(message).toStartWith(query.split('=')[0] ?? '');
    });

    test('invalid_parameter names every problem at once', async () => {
      const query = 'limit=0&status=gone&id=x&categoryId=y&name=&cursor=';
      const response = await petstore.reader.get(`/v1/pets?${query}`);
      const message = expectError(response, 'invalid_parameter');
      for (const name of ['limit', 'status', 'id', 'categoryId', 'name', 'cursor']) {
        expect(message).toMatch(new RegExp(`(^|; )${name} must`));
      }
      expect(message).toContain('1 to 100');
      expect(message).toContain('available, pending, sold');
    });

    test('invalid_parameter for more than 100 ids, or a name beyond 255 characters', async () => {
      const ids = (n: number) => Array.from({ length: n }, (_, i) => i + 1).join(',');
      expect((await petstore.reader.get(`/v1/pets?id=${ids(100)}`)).status).toBe(200);
      const many = await petstore.reader.get(`/v1/pets?id=${ids(101)}`);
      expect(expectError(many, 'invalid_parameter')).toContain('100');
      // Four bytes and two UTF-16 units each: the limit counts characters.
      const name = (n: number) => encodeURIComponent('😺'.repeat(n));
      expect((await petstore.reader.get(`/v1/pets?name=${name(255)}`)).status).toBe(200);
      const long = await petstore.reader.get(`/v1/pets?name=${name(256)}`);
      expect(expectError(long, 'invalid_parameter')).toContain('255');
    });

    test('invalid_cursor for a cursor that no page returned', async () => {
      for (const cursor of ['x', 'AAAAAAAAAAAAAAAAAAAAAA', '%00', 'a+b', '1'.repeat(500)]) {
        const response = await petstore.reader.get(`/v1/pets?cursor=${cursor}`);
        expect(expectError(response, 'invalid_cursor')).toContain('Link');
      }
    });

    test.each(['%', '%zz', '%ff', '%c3', '%ed%a0%80'])('invalid_request for %s', async (bad) => {
      expectError(await petstore.reader.get(`/v1/pets?name=${bad}`), 'invalid_request');
    });
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('405 for %s, with Allow', async (method) => {
    const response = await petstore.admin.send(method, '/v1/pets');
    expect(expectError(response, 'method_not_allowed')).toStartWith(`${method} `);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  test('414 for a target over 8 KiB, and not for one of 8 KiB', async () => {
    const target = (bytes: number) => `/v1/pets?x=${'y'.repeat(bytes - '/v1/pets?x='.length)}`;
    expect((await petstore.reader.get(target(8192))).status).toBe(200);
    expect(expectError(await petstore.reader.get(target(8193)), 'uri_too_long')).toContain('8192');
  });
});
