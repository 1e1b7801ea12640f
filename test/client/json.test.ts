import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readJson, writeJson } from '../../packages/client/src/json.ts';

describe('the JSON of the client', () => {
  test('is that of the runtime, apart from large integers', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        const spaced = text.replaceAll(',', ' ,\n').replaceAll(':', '\t: ');
        // The suffix makes the exact reader read it.
        const exact = readJson(`[${text},9223372036854775807]`);
        expect(exact).toEqual([JSON.parse(text), 9223372036854775807n]);
        expect(readJson(text)).toEqual(JSON.parse(text));
        if (!text.includes('"')) expect(readJson(spaced)).toEqual(JSON.parse(spaced));
      }),
      { numRuns: 2_000 },
    );
  });

  test('brings every int64 there and back', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        const text = writeJson({ nested: [{ value }] });
        expect(text).toBe(`{"nested":[{"value":${value}}]}`);
        // A `number` where that is exact.
        const exact = value >= -(2n ** 53n) + 1n && value <= 2n ** 53n - 1n;
        expect(readJson(text ?? '')).toEqual({
          nested: [{ value: exact ? Number(value) : value }],
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test('leaves digits in texts, fractions and exponents alone', () => {
    const text = String.raw`{"a\"9223372036854775807": "9223372036854775807\\", "b": 1.0e20, "c": 0.12345678901234567890}`;
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  test('keeps fields that objects treat differently', () => {
    const read = readJson('{"__proto__": 9223372036854775807, "a": []}');
    expect(Object.entries(Object(read))).toEqual([
      ['__proto__', 9223372036854775807n],
      ['a', []],
    ]);
  });

  test('refuses invalid JSON, including a truncated body', () => {
    for (const text of ['', '[9223372036854775807', '{"a":9223372036854775807]', '[1,]', 'é']) {
      expect(() => readJson(text)).toThrow(SyntaxError);
    }
  });

  test('writes what JSON.stringify writes', () => {
    const date = new Date(0);
    const value = {
      a: undefined,
      b: [undefined, null, true],
      c: { d: 'é"\\' },
      date,
      n: 1.5,
      f() {},
    };
    expect(writeJson(value)).toBe(JSON.stringify(value));
    expect(writeJson(undefined)).toBeUndefined();
  });

  test('refuses integers that a number has rounded', () => {
    expect(() => writeJson({ categoryId: 2 ** 53 })).toThrow(RangeError);
    expect(writeJson(2 ** 53 - 1)).toBe('9007199254740991');
    expect(writeJson(1e-7)).toBe('1e-7');
  });
});
