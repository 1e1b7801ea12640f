import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { entityTag, matchesNone } from '../../src/http/conditional.ts';

describe('entityTag', () => {
  test('is a strong tag of one form', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (parts) => {
        expect(entityTag(...parts)).toMatch(/^"[0-9a-f]{16}"$/);
        expect(entityTag(...parts)).toBe(entityTag(...parts));
      }),
    );
  });

  test('differs where any part differs, or its place', () => {
    const parts = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        fc.pre(one.length === other.length);
        expect(entityTag(...one)).not.toBe(entityTag(...other));
      }),
    );
  });
});

describe('matchesNone', () => {
  const tag = entityTag('x');
  const another = entityTag('y');

  test.each([
    tag,
    `W/${tag}`,
    '*',
    ' * ',
    `${another}, ${tag}`,
    `${tag},${another}`,
    `${another},W/${tag}`,
    ` ${tag} `,
    `"a,b", ${tag}`,
    `, ,${tag}`,
  ])('is true for %s', (field) => expect(matchesNone(field, tag)).toBe(true));

  test.each([
    '',
    another,
    `W/${another}`,
    tag.slice(1, -1),
    tag.toUpperCase().replace('"', ''),
    `w/${tag}`,
    `"${tag}"`,
    '"*"',
    `${tag.slice(0, -1)}0"`,
    'W/',
    ',',
  ])('is false for %p', (field) => expect(matchesNone(field, tag)).toBe(false));
});
