import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  JsonNumber,
  JsonProblem,
  type JsonValue,
  parseJson,
  writeJson,
} from '../../src/http/json.ts';
import { processorTime } from '../support/process-clock.ts';

/** The same value as `JSON.parse` would return it. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, plain(member)] as const);
  return Object.fromEntries(entries);
}

/** The texts of all numbers in a value. */
function sourcesOf(value: JsonValue): string[] {
  if (value instanceof JsonNumber) return [value.source];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(sourcesOf) : [];
}

/** Whitespace that JSON allows between tokens. */
const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });
/** Keys that objects treat specially, and some that look alike. */
const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    '0',
    '1',
    '-1',
    'a:b',
    '"',
    '\\',
    ':',
  ),
);

/** Writes the same key with escapes. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('parseJson', () => {
  test('equals JSON.parse on all JSON without repeated keys', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(2), (text, indent) => {
        const indented = JSON.stringify(JSON.parse(text), null, indent);
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
        expect(plain(parseJson(indented))).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('accepts and refuses the same texts as JSON.parse', () => {
    const pieces = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        'a',
        '1',
        '-',
        '.',
        'e',
        '0',
        ' ',
        'true',
        'null',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) expect(() => parseJson(text)).not.toThrow('not valid');
        else expect(() => parseJson(text)).toThrow(JsonProblem);
      }),
      { numRuns: 10_000 },
    );
  });

  test('keeps the text of every number', () => {
    const number = fc.oneof(
      fc.constantFrom(
        ...['0', '-0', '1.0', '1e5', '1E5', '1E+5', '1e-5', '9007199254740993', '1e400', '-1e-400'],
        ...['9223372036854775807', '123456789012345678901234567890', '0.1000', '-7', '0e0'],
        ...['999999999999999', '9999999999999999', '1000000000000000000000', '10E0', '7e1'],
      ),
      fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }).map(String),
      fc.stringMatching(/^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?$/),
    );
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => `[${text}]`,
      (text) => `{"a":${text}}`,
      (text) => `{"e":"1.5e","a":${text},"b":true,"c":12}`,
      (text) => `{"a":{"b":${text}}}`,
      (text) => `{"c":false,"a":[0,${text}]}`,
    );
    fc.assert(
      fc.property(number, wrap, blanks, blanks, (source, wrapped, before, behind) => {
        const text = wrapped(`${before}${source}${behind}`);
        expect(sourcesOf(parseJson(text))).toContain(source);
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 5_000 },
    );
    expect(parseJson(' 5 ')).toEqual(new JsonNumber('5'));
  });

  test('refuses a repeated key at any depth, however it is escaped', () => {
    const deep = fc.array(fc.constantFrom<'object' | 'array'>('object', 'array'), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        deep,
        fc.json({ maxDepth: 2 }),
        blanks,
        (keys, which, target, spelledOut, wrappers, value, blank) => {
          const members = keys.map((name) => `${JSON.stringify(name)}${blank}:${value}`);
          const repeated = keys[which % keys.length] ?? '';
          const spelled = spelledOut ? escaped(repeated) : JSON.stringify(repeated);
          const wrap = (text: string) =>
            wrappers.reduce((inner, kind) => {
              return kind === 'array' ? `[1,${inner}]` : `{"x":"{:}","y":${inner}}`;
            }, text);
          expect(() => parseJson(wrap(`{${members.join(',')}}`))).not.toThrow();
          members.splice(target % (keys.length + 1), 0, `${blank}${spelled}:${value}`);
          expect(() => parseJson(wrap(`{${members.join(',')}}`))).toThrow('repeats a key');
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test.each([
    '{"a":{"b":1},"c":{"b":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":":"}',
    '{"a:":1,":a":2}',
    '{"\\"":1,"\\\\":2}',
    '{"__proto__":1,"constructor":2}',
    '{"é":1,"e\u0301":2}',
    '{"a":1,"A":2}',
    '{"0":1,"00":2,"-0":3}',
  ])('accepts %s, since no key is repeated', (text) => {
    expect(plain(parseJson(text))).toEqual(JSON.parse(text));
  });

  test('treats __proto__ like any other key', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}');
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    const flat = parseJson('{"__proto__":7,"a":8}');
    expect(Object.entries(Object(flat))).toEqual([
      ['__proto__', new JsonNumber('7')],
      ['a', new JsonNumber('8')],
    ]);
  });

  test('refuses nesting that is too deep, and does not crash', () => {
    for (const text of [
      '['.repeat(1e6),
      `${'['.repeat(1e6)}${']'.repeat(1e6)}`,
      '{"a":'.repeat(1e6),
    ]) {
      expect(() => parseJson(text)).toThrow(JsonProblem);
    }
    expect(() => parseJson(`${'['.repeat(500)}${']'.repeat(500)}`)).not.toThrow();
  });

  test('refuses more members or items than allowed, at any depth', () => {
    const members = (count: number, from = 0) =>
      `{${Array.from({ length: count }, (_, i) => `"k${i + from}":"a:b"`).join(',')}}`;
    const problem = new JsonProblem('has more than 10 members and items');
    const items = (count: number) => `[${'1,'.repeat(count - 1)}1]`;
    for (const text of [
      ...[members(11), `[${members(5)},${members(6)}]`, `{"a":${members(10)}}`],
      ...[items(12), `{"a":[[${items(12)}]]}`, `{"a":{"b":${items(12)}}}`],
    ]) {
      expect(() => parseJson(text, 10)).toThrow(problem);
      expect(() => parseJson(text)).not.toThrow();
    }
    expect(() => parseJson(members(10), 10)).not.toThrow();
    expect(() => parseJson(`{"a":${items(10)},"b":",,,,,,,,,,,,"}`, 10)).not.toThrow();
  });

  test('takes time in proportion to the text', () => {
    const text = `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`;
    expect(processorTime(() => parseJson(text))).toBeLessThan(1_000);
  });
});

describe('writeJson', () => {
  test('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.parse(writeJson(value as never))).toEqual(JSON.parse(JSON.stringify(value))); // JSON is writable.
      }),
      { numRuns: 2_000 },
    );
  });

  test('writes what parseJson read', () => {
    /** The parsed value with numbers as integers, so that it can be written. */
    const writable = (value: JsonValue): never => {
      if (value instanceof JsonNumber) return BigInt(value.source) as never;
      if (Array.isArray(value)) return value.map(writable) as never;
      if (typeof value !== 'object' || value === null) return value as never;
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, writable(v)])) as never;
    };
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('null', 'true', 'false'),
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
        fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .uniqueArray(
            fc.tuple(
              key.filter((name) => !/^\d+$/.test(name)),
              tie('value'),
            ),
            {
              selector: ([name]) => name,
              maxLength: 4,
            },
          )
          .map((members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(',')}}`),
      ),
    })).value;
    fc.assert(
      fc.property(tree, (text) => {
        expect(writeJson(writable(parseJson(String(text))))).toBe(String(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('writes bigint exactly and leaves out undefined members', () => {
    expect(writeJson({ a: 2n ** 63n - 1n, b: undefined, c: [-(2n ** 63n), null] })).toBe(
      '{"a":9223372036854775807,"c":[-9223372036854775808,null]}',
    );
    const around = [-1n, 0n, 1n].flatMap((more) => [2n ** 53n + more, -(2n ** 53n) + more]);
    expect(writeJson(around)).toBe(`[${around.join(',')}]`);
    expect(writeJson(around.map((id) => ({ id })))).toBe(
      `[${around.map((id) => `{"id":${id}}`).join(',')}]`,
    );
    const value = { id: 7n, list: [8n] };
    expect(writeJson(value)).toBe('{"id":7,"list":[8]}');
    expect(value).toEqual({ id: 7n, list: [8n] });
    expect(writeJson([])).toBe('[]');
    expect(writeJson({})).toBe('{}');
    expect(writeJson('\ud800')).toBe('"\\ud800"');
  });
});
