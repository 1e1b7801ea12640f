/** Rules for the names of animals and categories. Lengths count Unicode code points. */
export const PET_NAME_MAX = 255;
export const CATEGORY_NAME_MAX = 100;

const CONTROL_CHARACTER = /\p{Cc}/u;
/** The same, except tab, line feed and carriage return. */
const CONTROL_CHARACTER_IN_LINES = /[^\P{Cc}\t\n\r]/u;
/** The White_Space property of Unicode includes more characters than `\s`. */
const NOT_BLANK = /\P{White_Space}/u;

/**
 * The characters of a name, as a pattern that means the same in every dialect of regular
 * expressions: no control characters, and at least one that is not white space. It cannot express
 * that surrogates must come in pairs.
 */
export const NAME_PATTERN = textPattern(String.raw`\u0000-\u001F\u007F-\u009F`);

/** The same for text of several lines. */
export const LINES_PATTERN = textPattern(
  String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`,
  String.raw`\t\n\r`,
);

function textPattern(control: string, breaks = ''): string {
  const space = String.raw`\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`;
  return `^[^${control}]*[^${control}${breaks}${space}][^${control}]*$`;
}

/**
 * Returns what is wrong with a name, as the end of a sentence ("must …"), or undefined for a valid
 * one. A name has 1 to `max` code points, not only white space, and no control characters or lone
 * surrogates. It is stored exactly as sent, so nothing is repaired here.
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
  if (!NOT_BLANK.test(text)) return 'must not be blank';
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

/** What people write for letters that Unicode does not take apart into a plain one and an accent. */
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

/**
 * Folds the name of an animal for searches: case, as `foldCase` does, and accents, so that `zoe`
 * finds Zoë and `lucja` Łucja. Composed and decomposed letters become the same.
 */
export function foldName(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return foldCase(text.normalize('NFD'))
    .normalize('NFD')
    .replace(ACCENT, '')
    .replace(PECULIAR_LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .normalize('NFC');
}
