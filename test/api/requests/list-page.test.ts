import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../../../src/api/contract/list-page.ts';
import { Failure } from '../../../src/domain/failure.ts';

const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const list = fc.string();

/** The cursor's id, or undefined if it is refused with the right error. */
function read(cursor: string, name: string): bigint | undefined {
  try {
    return decodeCursor(cursor, name);
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_cursor') return undefined;
    throw error;
  }
}

describe('a cursor', () => {
  test('returns the id it was made from, in characters that no URL needs to encode', () => {
    fc.assert(
      fc.property(id, list, (afterId, name) => {
        const cursor = encodeCursor(afterId, name);
        expect(encodeURIComponent(cursor)).toBe(cursor);
        expect(read(cursor, name)).toBe(afterId);
      }),
    );
  });

  test('is refused by every other list', () => {
    fc.assert(
      fc.property(id, list, list, (afterId, one, other) => {
        fc.pre(one !== other);
        expect(read(encodeCursor(afterId, one), other)).toBeUndefined();
      }),
    );
  });

  test('is refused when any bit or its length is changed', () => {
    fc.assert(
      fc.property(id, fc.nat(), fc.base64String(), (afterId, target, text) => {
        const cursor = encodeCursor(afterId, 'x');
        const bytes = Buffer.from(cursor, 'base64url');
        const at = target % (bytes.length * 8);
        bytes.writeUInt8(bytes.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
        expect(read(bytes.toString('base64url'), 'x')).toBeUndefined();
        expect(read(cursor + (text || '='), 'x')).toBeUndefined();
        expect(read(cursor.slice(0, at % cursor.length), 'x')).toBeUndefined();
      }),
    );
  });

  test('is refused for every other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        expect(read(text, 'x')).toBeUndefined();
      }),
    );
  });
});
