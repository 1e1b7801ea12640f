import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readTarget, TARGET_BYTES_MAX } from '../../src/http/target.ts';

const problemOf = (url: string, host: string | null = 'a') => readTarget(url, host).problem?.code;

describe('readTarget', () => {
  test.each([
    ['http://a/v1/pets?limit=1', '/v1/pets', 'limit=1'],
    ['http://a:80/', '/', ''],
    ['https://[::1]:8080/v1', '/v1', ''],
    ['http://a/x?', '/x', ''],
    ['http://a/x?a?b/c://d', '/x', 'a?b/c://d'],
    ['/v1/pets?x', '/v1/pets', 'x'],
    ['http:///v1/pets', '/v1/pets', ''],
    ['http://a//b', '//b', ''],
  ])('takes %s apart', (url, path, query) => {
    expect(readTarget(url, 'a')).toEqual({ path, query, problem: undefined });
  });

  test.each(['http://a', '*', 'a.example:443', 'http://a?x', ''])('finds no path in %p', (url) => {
    expect(problemOf(url)).toBe('invalid_request');
    expect(readTarget(url, 'a').path).toBe('');
  });

  test('bounds path and query together, without the address', () => {
    const target = (bytes: number) => `/${'x'.repeat(bytes - 3)}?y`;
    for (const address of ['', 'http://a', `http://${'a'.repeat(500)}`]) {
      expect(problemOf(address + target(TARGET_BYTES_MAX))).toBeUndefined();
      expect(problemOf(address + target(TARGET_BYTES_MAX + 1))).toBe('uri_too_long');
    }
  });

  test('accepts every correctly encoded path and refuses all others', () => {
    const piece = fc.constantFrom(
      'a',
      '/',
      '%',
      '2',
      'F',
      '%2F',
      '%C3',
      '%A9',
      '%FF',
      '%F0%9F%98%BA',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const path = `/${pieces.join('')}`;
        let decodable = true;
        try {
          decodeURIComponent(path);
        } catch {
          decodable = false;
        }
        expect(problemOf(`http://a${path}`)).toBe(decodable ? undefined : 'invalid_request');
      }),
      { numRuns: 2_000 },
    );
  });

  test('accepts a Host that is valid in a URL, or none', () => {
    for (const host of [null, 'a', 'a:1', 'A.b-c', '[::1]', '[::1]:65535', '%41']) {
      expect(problemOf('http://a/', host)).toBeUndefined();
    }
    for (const host of ['', ' ', 'a, b', 'a/b', 'a?b', 'a#b', 'u@a', 'a:b', '[', 'a\\b', 'é']) {
      expect(problemOf('http://a/', host)).toBe('invalid_request');
    }
  });
});
