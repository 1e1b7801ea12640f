import { beforeAll, describe, expect, test } from 'bun:test';
import { addAnimals, linksOf, petText } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import type { ClientResponse } from '../../support/client.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const SUNSET = Date.UTC(2030, 11, 5);

describe('GET /v1/pets/{petId} (getPet)', () => {
  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    await addAnimals(petstore.storage, [{ name: 'Rex', categoryId: -3n, status: 'sold' }]);
  });

  const rex = petText({ id: 1n, name: 'Rex', categoryId: -3n, status: 'sold' });

  /** Every response of the operation says that it is deprecated, with any status. */
  function expectDeprecation(response: ClientResponse): void {
    expect(response.headers.get('deprecation')).toBe(`@${Date.UTC(2026, 10, 21) / 1000}`);
    expect(response.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    const links = linksOf(response);
    expect(links.get('successor-version')).toBe(`${petstore.baseUrl}/pets`);
    expect(links.get('deprecation')).toBe(`${petstore.url}/docs/deprecations`);
    expect(links.get('sunset')).toBe(`${petstore.url}/docs/deprecations`);
  }

  describe('200', () => {
    test('returns the animal', async () => {
      const response = await petstore.reader.get('/v1/pets/1');
      expect(response.status).toBe(200);
      expect(response.text).toBe(rex);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/);
      expect(response.headers.get('vary')).toBe('Authorization, Cookie');
      expectDeprecation(response);
    });

    test('HEAD has the same headers and no body', async () => {
      const got = await petstore.reader.get('/v1/pets/1');
      const head = await petstore.reader.head('/v1/pets/1');
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      expect(head.headers.get('content-length')).toBe(String(rex.length));
      expect(head.headers.get('etag')).toBe(got.headers.get('etag'));
      expectDeprecation(head);
    });

    test('ignores the query', async () => {
      expect((await petstore.reader.get('/v1/pets/1?limit=x')).text).toBe(rex);
    });

    test('decodes the percent-encoding of the id', async () => {
      expect((await petstore.reader.get('/v1/pets/%31')).text).toBe(rex);
      expect((await petstore.reader.get('/v1/%70ets/1')).text).toBe(rex);
    });

    test('links to pages that exist', async () => {
      const links = linksOf(await petstore.reader.get('/v1/pets/1'));
      for (const link of links.values()) {
        const response = await petstore.reader.get(new URL(link).pathname);
        expect(response.status).toBe(200);
      }
      expect(links.size).toBe(3);
    });
  });

  test('304 for the tag of the animal, until the animal changes', async () => {
    await addAnimals(petstore.storage, [{ name: 'Tom' }]);
    const tag = (await petstore.reader.get('/v1/pets/2')).headers.get('etag') ?? '';
    for (const field of [tag, `W/${tag}`, `"a", ${tag}`, '*']) {
      const response = await petstore.reader.get('/v1/pets/2', { 'if-none-match': field });
      expect(response.status).toBe(304);
      expect(response.text).toBe('');
      expect(response.headers.get('etag')).toBe(tag);
      expectDeprecation(response);
    }
    await petstore.storage.pets.update(2n, { status: 'sold' }, CHANGE_STAMP, () => {});
    const changed = await petstore.reader.get('/v1/pets/2', { 'if-none-match': tag });
    expect(changed.status).toBe(200);
    expect(changed.text).toContain('"sold"');
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  describe('404', () => {
    test.each([
      '0',
      '-1',
      '999999',
      '9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
    ])('pet_not_found for the id %s, which no animal has', async (id) => {
      const response = await petstore.reader.get(`/v1/pets/${id}`);
      expectError(response, 'pet_not_found');
      expectDeprecation(response);
    });

    test.each([
      '01',
      '+1',
      '%2B1',
      '-0',
      '1.0',
      '1e0',
      'abc',
      '%20',
      '1%20',
      '%201',
      '1%00',
      '9223372036854775808',
      '-9223372036854775809',
      '99999999999999999999',
      '0x1',
      '1,2',
      '1;2',
      '%D9%A1',
      'null',
      '1%2F',
      '%2F',
      '1%3Fx',
      '%2531',
    ])('pet_not_found for %s, which is not a plain int64', async (id) => {
      const response = await petstore.reader.get(`/v1/pets/${id}`);
      expect(expectError(response, 'pet_not_found')).toBe('There is no animal with this id.');
      expectDeprecation(response);
    });

    test.each(['/v1/pets/', '/v1/pets/1/', '/v1/pets//1', '/v1/pets/1/x', '/v1/Pets/1'])(
      'route_not_found for %s, which is another path',
      async (path) => {
        const response = await petstore.reader.get(path);
        expectError(response, 'route_not_found');
        expect(response.headers.get('deprecation')).toBeNull();
      },
    );

    test('pet_not_found once the animal is removed', async () => {
      await addAnimals(petstore.storage, [{ name: 'Gone' }]);
      const [row] = await petstore.database.sql('SELECT max(id) AS id FROM pets');
      expect((await petstore.reader.get(`/v1/pets/${row?.['id']}`)).status).toBe(200);
      await petstore.storage.pets.remove(BigInt(`${row?.['id']}`), CHANGE_STAMP, () => {});
      expectError(await petstore.reader.get(`/v1/pets/${row?.['id']}`), 'pet_not_found');
    });
  });

  test.each(['POST', 'PUT', 'OPTIONS'])('405 for %s, with Allow', async (method) => {
    const response = await petstore.admin.send(method, '/v1/pets/1');
    expectError(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toStartWith('GET, HEAD');
  });

  describe('410', () => {
    test('operation_removed from the sunset on, and not a millisecond before', async () => {
      const start = petstore.clock.now();
      petstore.clock.set(SUNSET - 1);
      expect((await petstore.reader.get('/v1/pets/1')).status).toBe(200);
      petstore.clock.set(SUNSET);
      for (const path of ['/v1/pets/1', '/v1/pets/999', '/v1/pets/abc']) {
        const response = await petstore.reader.get(path);
        expect(expectError(response, 'operation_removed')).toContain('/pets');
        expectDeprecation(response);
      }
      expect((await petstore.reader.head('/v1/pets/1')).status).toBe(410);
      expect((await petstore.reader.get('/v1/pets?id=1')).text).toBe(`[${rex}]`);
      petstore.clock.set(start);
    });

    test('comes after 401 and 403', async () => {
      const start = petstore.clock.now();
      petstore.clock.set(SUNSET);
      expectError(await petstore.anonymous.get('/v1/pets/1'), 'missing_api_key');
      const { client } = await petstore.keyWith({ scopes: [] });
      expectError(await client.get('/v1/pets/1'), 'insufficient_scope');
      petstore.clock.set(start);
    });
  });

  test('414 for a target over 8 KiB', async () => {
    const response = await petstore.reader.get(`/v1/pets/1?${'x'.repeat(8192)}`);
    expectError(response, 'uri_too_long');
  });
});
