import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { entityTag, matches, matchesWeakly } from '../../src/http/response.ts';

describe('entityTag', () => {
  test('is a strong tag of one form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (body, links) => {
        expect(entityTag(body, links)).toMatch(/^"[0-9a-f]{16}"$/);
        expect(entityTag(body, links)).toBe(entityTag(body, links));
      }),
    );
  });

  test('differs if body or links differ', () => {
    const pair = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(entityTag(...one)).not.toBe(entityTag(...other));
      }),
    );
  });
});

describe('matchesWeakly', () => {
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
  ])('is true for %s', (field) => expect(matchesWeakly(field, tag)).toBe(true));

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
  ])('is false for %p', (field) => expect(matchesWeakly(field, tag)).toBe(false));
});

describe('matches', () => {
  const tag = entityTag('x');
  const another = entityTag('y');

  test.each([tag, '*', ` ${tag} `, `${another}, ${tag}`, `${tag},${another}`])(
    'is true for %s',
    (field) => expect(matches(field, tag)).toBe(true),
  );

  test.each(['', another, `W/${tag}`, `${another}, W/${tag}`, tag.slice(1, -1), '"*"'])(
    'is false for %p: a weak tag proves nothing',
    (field) => expect(matches(field, tag)).toBe(false),
  );
});
