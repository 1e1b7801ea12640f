import { afterEach, describe, expect, test } from 'bun:test';
import { Petstore } from 'petstore-client';

const page = (href: string) => Reflect.set(globalThis, 'location', new URL(href));
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'location');
});

const storeAt = (baseUrl: unknown) => new Petstore({ baseUrl: baseUrl as string });
const never = async () => {
  throw new TypeError('Failed to fetch');
};

describe('the address of the service', () => {
  test.each([
    'http://127.0.0.1:8080/v1',
    'https://shelter.org/v1/',
    'https://shelter.org/animals/v1',
    'http://[::1]:8080/v1',
  ])('may be %s', (baseUrl) => {
    expect(() => storeAt(baseUrl)).not.toThrow();
  });

  test.each([
    [undefined],
    [null],
    [''],
    ['/v1'],
    ['127.0.0.1:8080/v1'],
    ['localhost:8080/v1'],
    ['ftp://127.0.0.1/v1'],
    ['http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/'],
    ['http://127.0.0.1:8080/v2'],
    ['http://127.0.0.1:8080/v1/pets'],
    ['http://127.0.0.1:8080/v1?key=1'],
    ['http://127.0.0.1:8080/v1#top'],
    ['http://me:secret@127.0.0.1:8080/v1'],
    ['http:///v1'],
  ])('must not be %j', (baseUrl) => {
    expect(() => storeAt(baseUrl)).toThrow(TypeError);
    expect(() => storeAt(baseUrl)).toThrow(/^baseUrl is .* such as "http:\/\/127/);
  });

  test('may be a path on a page, or with a fetch of the caller', () => {
    expect(() => new Petstore({ baseUrl: '/v1', fetch: never })).not.toThrow();
    page('https://shelter.org/animals.html');
    expect(() => storeAt('/v1')).not.toThrow();
    expect(() => storeAt(undefined)).toThrow(TypeError);
  });
});

describe('a service that cannot be reached', () => {
  const messageOf = async (baseUrl: string) => {
    const store = new Petstore({ baseUrl, fetch: never, retries: 0 });
    return store.usage.get().catch(({ code, message }) => `${code}: ${message}`);
  };

  test('may refuse a page of another origin', async () => {
    page('https://shelter.org/animals.html');
    expect(await messageOf('https://api.shelter.org/v1')).toBe(
      'connection_lost: Could not reach api.shelter.org: Failed to fetch. ' +
        'If it runs, its PETSTORE_CORS_ORIGINS must have https://shelter.org',
    );
    expect(await messageOf('/v1')).toBe(
      'connection_lost: Could not reach shelter.org: Failed to fetch',
    );
  });
});
