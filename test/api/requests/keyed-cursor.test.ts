import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { openCursor, sealCursor } from '../../../src/api/contract/list-page.ts';

test('a cursor gives back its text, and only for its list', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, list, other) => {
      const cursor = sealCursor(text, list);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(openCursor(cursor, list)).toBe(text);
      if (other !== list) expect(() => openCursor(cursor, other)).toThrow('cursor must be taken');
    }),
  );
});

test('an altered cursor is refused, also one with spare bits', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.constantFrom(...'AQgw-_'), (text, at, letter) => {
      const cursor = sealCursor(text, '/listings');
      const n = at % (cursor.length + 1);
      const altered = `${cursor.slice(0, n)}${letter}${cursor.slice(n + 1)}`;
      if (altered === cursor) return;
      expect(() => openCursor(altered, '/listings')).toThrow('cursor must be taken');
    }),
  );
});
