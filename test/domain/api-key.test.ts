import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { generateKey, keyProblem, redactKeys } from '../../src/domain/api-key.ts';
import { ENVIRONMENTS } from '../../src/domain/deployment.ts';
import { hashKey } from '../../src/domain/secrets.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const newKey = () => generateKey('production', random);

describe('a generated key', () => {
  test.each([
    ['production', 'petstore_live_'],
    ['staging', 'petstore_test_'],
  ] as const)('of %s begins with %s and passes its own check', (environment, prefix) => {
    for (let i = 0; i < 200; i++) {
      const text = generateKey(environment, random);
      expect(text).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
      for (const other of ENVIRONMENTS) {
        const expected = other === environment ? undefined : 'other_deployment';
        expect(keyProblem(text, other)).toBe(expected);
      }
    }
  });

  test('ends in the base62 CRC-32 of everything before it', () => {
    const text = generateKey('production', (count) => new Uint8Array(count));
    const body = `petstore_live_${'0'.repeat(32)}`;
    // CRC-32 (IEEE), bit by bit, as defined.
    let crc = 0xffffffffn;
    for (const byte of Buffer.from(body)) {
      crc ^= BigInt(byte);
      for (let bit = 0; bit < 8; bit++) crc = (crc >> 1n) ^ (crc & 1n ? 0xedb88320n : 0n);
    }
    let rest = Number(crc ^ 0xffffffffn);
    let checksum = '';
    for (let i = 0; i < 6; i++) {
      checksum = BASE62.charAt(rest % 62) + checksum;
      rest = Math.floor(rest / 62);
    }
    expect(text).toBe(body + checksum);
  });

  test('is different each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, newKey)).size).toBe(1_000);
  });

  test('uses each of the 62 characters equally often', () => {
    const counts = new Map<string, number>();
    const keys = 4_000;
    for (let i = 0; i < keys; i++) {
      for (const character of newKey().slice(14, 46)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (keys * 32) / 62;
    let chiSquare = 0;
    for (const character of BASE62) {
      chiSquare += ((counts.get(character) ?? 0) - expected) ** 2 / expected;
    }
    // 61 degrees of freedom: a fair draw exceeds this once in a billion.
    expect(chiSquare).toBeLessThan(140);
  });

  test('redraws bytes that would favour some characters', () => {
    let draws = 0;
    const text = generateKey('staging', (count) => {
      draws++;
      return new Uint8Array(count).fill(draws === 1 ? 255 : 247);
    });
    expect(draws).toBe(2);
    expect(text.slice(14, 46)).toBe('z'.repeat(32));
  });
});

describe('the check', () => {
  test('detects every change of one character', () => {
    const text = newKey();
    for (let i = 0; i < text.length; i++) {
      for (const character of `${BASE62}-_ `) {
        if (character === text[i]) continue;
        const changed = text.slice(0, i) + character + text.slice(i + 1);
        expect(keyProblem(changed, 'production')).toBe('malformed');
      }
    }
  });

  test('detects every swap of two neighbours, and every missing or added character', () => {
    const text = newKey();
    for (let i = 0; i < text.length; i++) {
      const swapped = text.slice(0, i) + (text[i + 1] ?? '') + text[i] + text.slice(i + 2);
      if (swapped !== text) expect(keyProblem(swapped, 'production')).toBe('malformed');
      expect(keyProblem(text.slice(0, i) + text.slice(i + 1), 'production')).toBe('malformed');
      expect(keyProblem(`${text.slice(0, i)}0${text.slice(i)}`, 'production')).toBe('malformed');
    }
  });

  test('refuses any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        expect(keyProblem(text, 'production')).toBe('malformed');
        expect(keyProblem(`petstore_live_${text}`, 'production')).toBe('malformed');
      }),
    );
    expect(keyProblem(`${newKey()}\n`, 'production')).toBe('malformed');
  });
});

test('the hash is SHA-256 in hexadecimal', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('keys are redacted from texts for the log', () => {
  const [one, two] = [newKey(), generateKey('staging', random)];
  const text = `{"path":"/v1/pets/${one}","requestId":"x-${two}.y"}`;
  expect(redactKeys(text)).toBe(
    '{"path":"/v1/pets/petstore_live_...","requestId":"x-petstore_test_....y"}',
  );
  expect(redactKeys('{"path":"/v1/pets"}')).toBe('{"path":"/v1/pets"}');
});
