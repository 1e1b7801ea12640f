/** Rules for the names of animals and categories. Lengths count Unicode code points. */
export const PET_NAME_MAX = 255;
export const CATEGORY_NAME_MAX = 100;

const CONTROL_CHARACTER = /\p{Cc}/u;
/** The same, without tab, line feed and carriage return. */
const CONTROL_CHARACTER_IN_LINES = /[^\P{Cc}\t\n\r]/u;
/** White space of all Unicode: the White_Space property is wider than what `\s` takes. */
const NOT_BLANK = /\P{White_Space}/u;

/**
 * The characters of a name as a pattern that every dialect of regular expressions reads alike:
 * no control characters, and one at least that is no white space. Half a surrogate pair cannot be
 * said in it.
 */
export const NAME_PATTERN = textPattern(String.raw`\u0000-\u001F\u007F-\u009F`);

/** The same for a text that may have several lines. */
export const LINES_PATTERN = textPattern(
  String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`,
  String.raw`\t\n\r`,
);

function textPattern(control: string, breaks = ''): string {
  const space = String.raw`\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`;
  return `^[^${control}]*[^${control}${breaks}${space}][^${control}]*$`;
}

/**
 * Says what is wrong with a name, as the end of a sentence ("must …"), or undefined for a good
 * one. A name is 1 to `max` code points, not only white space, without control characters and
 * lone surrogates. It is kept exactly as sent, so nothing is mended here.
 */
export function nameProblem(name: string, max: number): string | undefined {
  return textProblem(name, max, CONTROL_CHARACTER);
}

/** The same for a text that may have tabs and line breaks. */
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
 * Folds a text so that two that differ only in case become equal, over all of Unicode and alike
 * on every database: lower case, upper case (which spells out ß as SS) and lower case again, with
 * the Greek final sigma as a plain one, since JavaScript chooses between them by their place.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
