/** Rules for the names of animals and categories. Lengths count Unicode code points. */
export const PET_NAME_MAX = 255;
export const CATEGORY_NAME_MAX = 100;

const CONTROL_CHARACTER = /\p{Cc}/u;
/** The same, except tab, line feed and carriage return. */
const CONTROL_CHARACTER_IN_LINES = /[^\P{Cc}\t\n\r]/u;
/** A character that can be seen: the empty pattern of Braille is drawn as nothing. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The characters of a name, as a pattern that means the same in every dialect of regular
 * expressions: no control characters, and at least one that can be seen. It cannot express that
 * surrogates must come in pairs, nor which pairs cannot be seen.
 */
export const NAME_PATTERN = textPattern(String.raw`\u0000-\u001F\u007F-\u009F`);

/** The same for text of several lines. */
export const LINES_PATTERN = textPattern(
  String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`,
  String.raw`\t\n\r`,
);

function textPattern(control: string, breaks = ''): string {
  const unseen = String.raw`\u0020\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8`;
  return `^[^${control}]*[^${control}${breaks}${unseen}][^${control}]*$`;
}

/**
 * Returns what is wrong with a name, as the end of a sentence ("must …"), or undefined for a valid
 * one. A name has 1 to `max` code points, at least one that can be seen, and no control characters or
 * lone surrogates. It is stored exactly as sent, so nothing is repaired here.
 */
export function nameProblem(name: string, max: number): string | undefined {
  return textProblem(name, max, CONTROL_CHARACTER);
}

/** The same for text that may have tabs and line breaks. */
export function linesProblem(text: string, max: number): string | undefined {
  return textProblem(text, max, CONTROL_CHARACTER_IN_LINES);
}

function textProblem(text: string, max: number, refused: RegExp): string | undefined {
  if (text === '') return 'must not be empty';
  // A code point takes at most two UTF-16 units, so most texts need no counting.
  if (text.length > max && (text.length > 2 * max || [...text].length > max)) {
    return `must have at most ${max} characters`;
  }
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair';
  if (refused.test(text)) return 'must not contain control characters';
  if (!VISIBLE.test(text)) return 'must not be blank';
  return undefined;
}

/**
 * Folds case, so that texts that differ only in case become equal, for all of Unicode and the same
 * on every database: lower case, upper case (which turns ß into SS) and lower case again. The Greek
 * final sigma becomes a plain one, since JavaScript chooses between them by position.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** What people type for letters that Unicode does not decompose into a plain letter and an accent. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};
const PECULIAR_LETTER = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');
/** The accents of Latin, Greek and Cyrillic. Marks of other scripts are letters of their own. */
const ACCENT = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF]/g;
const NOT_ASCII = /[^\0-\x7F]/;

/** More marks on one letter than any language writes. Unicode's "stream-safe" text has no more. */
const TOO_MANY_MARKS = /(?:(?!\u034F)\p{M}){30}(?!\u034F)(?=\p{M})/gu;

/**
 * Normalizes a text in linear time: to sort a run of marks takes quadratic time, so a joiner that
 * cannot be seen divides long ones. Other texts are the same as after `normalize`.
 */
export function normalized(text: string, form: 'NFC' | 'NFD'): string {
  if (!NOT_ASCII.test(text)) return text;
  return text.replace(TOO_MANY_MARKS, '$&\u034F').normalize(form);
}

/**
 * Folds the name of an animal for searches: case, as `foldCase` does, and accents, so that `zoe`
 * finds Zoë and `lucja` Łucja. Composed and decomposed letters become the same.
 */
export function foldName(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  const plain = normalized(foldCase(normalized(text, 'NFD')), 'NFD')
    .replace(ACCENT, '')
    .replace(PECULIAR_LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter);
  return normalized(plain, 'NFC');
}
