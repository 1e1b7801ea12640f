import { describe, expect, test } from 'bun:test';
import { cookiesNamed } from '../../src/auth/authenticate.ts';
import { createPageOrigins } from '../../src/http/page-origin.ts';
import { createTrustedProxies } from '../../src/http/trusted-proxies.ts';

function originsOf({ url = 'http://127.0.0.1:8080', base = '', peer = '10.0.0.5' }) {
  return createPageOrigins({
    url,
    configuredUrl: base === '' ? undefined : base,
    proxies: createTrustedProxies(['10.0.0.0/8']),
    peerOf: () => peer,
  });
}

const request = (headers: Readonly<Record<string, string>>) =>
  new Request('http://shop.example/v1/pets', { headers });

describe('a connection', () => {
  const host = 'shop.example';

  test.each([
    ['with our own TLS', { url: 'https://10.0.0.1:8443' }, {}, 'https'],
    [
      'with our own TLS, whatever is forwarded',
      { url: 'https://a:1' },
      { 'x-forwarded-proto': 'http' },
      'https',
    ],
    ['with a base address of https', { base: 'https://shop.example/v1' }, {}, 'https'],
    ['with a base address of http', { base: 'http://shop.example/v1' }, {}, 'exposed'],
    ['that a trusted proxy had as https', {}, { 'x-forwarded-proto': 'HTTPS' }, 'https'],
    [
      'that a trusted proxy had as http',
      { base: 'https://shop.example/v1' },
      { 'x-forwarded-proto': 'http' },
      'exposed',
    ],
    [
      'that a stranger calls https',
      { peer: '192.0.2.1' },
      { 'x-forwarded-proto': 'https' },
      'exposed',
    ],
    ['over plain http', {}, {}, 'exposed'],
    ['of the same machine', {}, { host: 'localhost:8080' }, 'loopback'],
    ['of the same machine over IPv6', {}, { host: '[::1]:8080' }, 'loopback'],
    ['to a name that contains localhost', {}, { host: 'localhost.example' }, 'exposed'],
    ['to an address that starts like a loopback one', {}, { host: '127.0.0.1.example' }, 'exposed'],
  ] as const)('%s', (_, parts, headers, exposure) => {
    expect(originsOf(parts).exposureOf(request({ host, ...headers }))).toBe(exposure);
  });

  test('without a Host is exposed', () => {
    expect(originsOf({}).exposureOf(request({}))).toBe('exposed');
  });
});

describe('the origin', () => {
  test('is that of the configured address or of Host, with the scheme of the browser', () => {
    const origins = originsOf({ base: 'https://shop.example/petstore/v1' });
    const isOurs = (origin: string, host: string) =>
      origins.isSameOrigin(request({ origin, host }));
    expect(isOurs('https://shop.example', '127.0.0.1:8080')).toBe(true);
    expect(isOurs('https://127.0.0.1:8080', '127.0.0.1:8080')).toBe(true);
    expect(isOurs('http://127.0.0.1:8080', '127.0.0.1:8080')).toBe(false);
    expect(isOurs('https://evil.example', '127.0.0.1:8080')).toBe(false);
    expect(isOurs('null', 'null')).toBe(false);
  });
});

describe('cookies', () => {
  test('are found by their whole name', () => {
    expect(cookiesNamed('a=1; b=2;a=3 ; aa=4; a; =5', 'a')).toEqual(['1', '3']);
    expect(cookiesNamed('a=b=c', 'a')).toEqual(['b=c']);
    expect(cookiesNamed('', 'a')).toEqual([]);
  });
});
