import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readQuery } from '../../src/http/target.ts';

/** The same by the standard's own parser. */
function byStandard(text: string): [string, string[]][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return [...values];
}

describe('readQuery', () => {
  test('reads what URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        const query = new URLSearchParams(pairs).toString();
        expect([...readQuery(query)]).toEqual(byStandard(query));
      }),
      { numRuns: 2_000 },
    );
  });

  test('reads every text that can be decoded as URLSearchParams reads it', () => {
    const piece = fc.constantFrom(
      ...['a', '=', '&', '+', '%20', '%26', '%3D', '%2B', '%25', '%C3%A9', ';'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        const query = pieces.join('');
        expect([...readQuery(query)]).toEqual(byStandard(query));
      }),
      { numRuns: 5_000 },
    );
  });

  test('keeps repeated names in order', () => {
    expect(readQuery('a=1&b=2&a=3&a').get('a')).toEqual(['1', '3', '']);
  });

  test('decodes once', () => {
    expect(readQuery('a=%2525&b=%2B').get('a')).toEqual(['%25']);
    expect(readQuery('b=%2B').get('b')).toEqual(['+']);
  });

  test('has only the members that were sent', () => {
    for (const name of ['__proto__', 'constructor', 'limit']) {
      expect(readQuery('a=1').get(name)).toBeUndefined();
    }
    expect(readQuery('__proto__=1').get('__proto__')).toEqual(['1']);
  });
});
