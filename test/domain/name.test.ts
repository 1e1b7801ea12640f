import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  foldCase,
  foldName,
  NAME_PATTERN,
  nameProblem,
  normalized,
} from '../../src/domain/name.ts';

/** Every code point except the surrogates. */
function* codePoints(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
  }
}

describe('nameProblem', () => {
  test.each([
    'x',
    ' x ',
    '😺',
    'a\u2028b',
    '\u200da',
    '\u28ff',
    '\u0301',
    '0',
    'null',
    '\u{10ffff}',
  ])('takes %p', (name) => expect(nameProblem(name, 255)).toBeUndefined());

  test('counts code points', () => {
    for (const character of ['x', 'é', '😺']) {
      expect(nameProblem(character.repeat(100), 100)).toBeUndefined();
      expect(nameProblem(character.repeat(101), 100)).toBe('must have at most 100 characters');
    }
    expect(nameProblem('x'.repeat(10_000_000), 100)).toContain('100');
  });

  test('refuses each control character and accepts every other code point', () => {
    const refused: number[] = [];
    for (const character of codePoints()) {
      if (nameProblem(`a${character}`, 255)) refused.push(character.codePointAt(0) ?? -1);
    }
    // The category Cc: C0, DEL and C1.
    const range = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, i) => first + i);
    expect(refused).toEqual([...range(0x00, 0x1f), ...range(0x7f, 0x9f)]);
  });

  test('refuses names that nobody can see', () => {
    const blanks = [
      ...'\u0020\u00a0\u1680\u2000\u2005\u200a\u2028\u2029\u202f\u205f\u3000\u00ad\u034f\u061c\u115f',
      ...'\u1160\u17b4\u180e\u200b\u200d\u202e\u2060\u2064\u2800\u3164\ufe0f\ufeff\uffa0\u{1d173}\u{e0041}\u{e01ef}',
    ];
    for (const blank of [...blanks, blanks.join('')]) {
      expect(nameProblem(blank, 255)).toBe('must not be blank');
      expect(nameProblem(`${blank}x`, 255)).toBeUndefined();
    }
  });

  test('the pattern of the document says the same of a character beside none', () => {
    const pattern = new RegExp(NAME_PATTERN, 'u');
    const different = [...codePoints()].filter((one) => {
      return one <= '\uffff' && pattern.test(one) !== (nameProblem(one, 255) === undefined);
    });
    // Beyond the first 65,536 the pattern lets all of them pass.
    expect(different.filter((one) => one.length === 1)).toEqual([]);
  });

  test('refuses lone surrogates anywhere', () => {
    for (const half of ['\ud800', '\udbff', '\udc00', '\udfff', '\udc00\ud800']) {
      for (const name of [half, `a${half}`, `${half}a`, `😺${half}😺`]) {
        expect(nameProblem(name, 255)).toContain('surrogate');
      }
    }
  });

  test('returns advice that completes a sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(nameProblem(name, 5) ?? 'must').toStartWith('must');
      }),
    );
  });
});

describe('foldCase', () => {
  test('folds a code point like its upper and lower case', () => {
    const different: string[] = [];
    for (const character of codePoints()) {
      const folded = foldCase(character);
      const others = [character.toUpperCase(), character.toLowerCase(), folded];
      if (others.some((other) => foldCase(other) !== folded)) different.push(character);
    }
    expect(different).toEqual([]);
  });

  test('folds a text like its upper and lower case, and like the folded text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'ΣσςßẞsSiIıİaΑ ǅﬁᾳ\u0307\u0345') }),
    );
    fc.assert(
      fc.property(text, (name) => {
        const folded = foldCase(name);
        expect(foldCase(name.toUpperCase())).toBe(folded);
        expect(foldCase(name.toLowerCase())).toBe(folded);
        expect(foldCase(folded)).toBe(folded);
      }),
      { numRuns: 3_000 },
    );
  });

  test('a part of a name is found at any position', () => {
    const unit = fc.constantFrom(...'aAΣσςßẞsSİiIı😺 ǅ');
    const text = fc.string({ unit });
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        expect(foldCase(before + part + after)).toContain(foldCase(part));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύς'],
    ['σ', 'ς'],
    ['ﬁsh', 'FISH'],
    ['I', 'i'],
    ['ı', 'I'],
    ['\u212a', 'k'],
  ])('%s equals %s', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other));
  });

  test.each([
    ['é', 'e'],
    ['é', 'e\u0301'],
    ['İ', 'i'],
    ['o', 'ø'],
  ])('%p does not equal %p: only case is folded', (one, other) => {
    expect(foldCase(one)).not.toBe(foldCase(other));
  });
});

describe('foldName', () => {
  test('folds a code point like its cases and its forms', () => {
    const different: string[] = [];
    for (const character of codePoints()) {
      const folded = foldName(character);
      const cases = [character.toUpperCase(), character.toLowerCase(), folded];
      const others = [...cases, character.normalize('NFC'), character.normalize('NFD')];
      if (others.some((other) => foldName(other) !== folded)) different.push(character);
    }
    expect(different).toEqual([]);
  });

  test('a part of a name is found at any position', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aAéÉłŁøæßẞsİiIıΐῃς😺 ǅё각が') });
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        expect(foldName(before + part + after)).toContain(foldName(part));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['Zoë', 'zoe'],
    ['Łucja', 'lucja'],
    ['Jürgen Groß', 'JURGEN GROSS'],
    ['Ǿ', 'o'],
    ['Œdipe', 'oedipe'],
    ['Þór', 'thor'],
    ['Đặng', 'dang'],
    ['ΐ', 'ι'],
    ['Ёлка', 'елка'],
    ['각', '\u1100\u1161\u11a8'],
  ])('%s equals %s', (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  test.each([
    ['が', 'か'],
    ['각', '가'],
    ['कि', 'का'],
  ])('%s does not equal %s: these marks are letters', (one, other) => {
    expect(foldName(one)).not.toBe(foldName(other));
  });
});

describe('normalized', () => {
  const mark = fc.constantFrom(
    '\u0301',
    '\u0327',
    '\u0345',
    '\u05b0',
    '\u064b',
    '\u093c',
    '\u0344',
    '\u034f',
  );
  const letters = fc.constantFrom('a', 'Σ', 'é', 'ǖ', '가', 'א', '\u1fb7', '😺');
  const cluster = fc.tuple(letters, fc.array(mark, { maxLength: 29 }));

  test('changes no text with fewer than 30 marks in a run', () => {
    fc.assert(
      fc.property(fc.array(cluster), fc.constantFrom('NFC', 'NFD'), (clusters, form) => {
        const text = clusters.map(([letter, marks]) => letter + marks.join('')).join('');
        expect(normalized(text, form)).toBe(text.normalize(form));
      }),
    );
  });

  test.each(['\u0301', '\u05b0\u05b1', '\u064b\u0618', '\u093c\u094d', '\u0344\u0345'])(
    'sorts no long run of %p, and folds it to the same again',
    (marks) => {
      const text = `a${marks.repeat(200)}${'\u0327'.repeat(200)}`;
      const longest = (folded: string) =>
        Math.max(...folded.split(/\P{M}|\u034f/u).map((run) => run.length));
      for (const form of ['NFC', 'NFD'] as const) {
        expect(longest(normalized(text, form))).toBeLessThanOrEqual(90);
      }
      expect(longest(foldName(text))).toBeLessThanOrEqual(90);
      expect(foldName(foldName(text))).toBe(foldName(text));
    },
  );
});
