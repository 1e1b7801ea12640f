/** Rules for the names of animals and categories. Lengths count Unicode code points. */
export const PET_NAME_MAX = 255;
export const CATEGORY_NAME_MAX = 100;

const CONTROL_CHARACTER = /\p{Cc}/u;
/** White space of all Unicode: the White_Space property is wider than what `\s` takes. */
const NOT_BLANK = /\P{White_Space}/u;

/**
 * The characters of a name as a pattern that every dialect of regular expressions reads alike:
 * no control characters, and one at least that is no white space. Half a surrogate pair cannot be
 * said in it.
 */
export const NAME_PATTERN = namePattern();

function namePattern(): string {
  const control = String.raw`\u0000-\u001F\u007F-\u009F`;
  const space = String.raw`\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`;
  return `^[^${control}]*[^${control}${space}][^${control}]*$`;
}

/**
 * Says what is wrong with a name, as the end of a sentence ("must …"), or undefined for a good
 * one. A name is 1 to `max` code points, not only white space, without control characters and
 * lone surrogates. It is kept exactly as sent, so nothing is mended here.
 */
export function nameProblem(name: string, max: number): string | undefined {
  if (name === '') return 'must not be empty';
  // A code point takes at most two UTF-16 units, so most names need no counting.
  if (name.length > max && (name.length > 2 * max || [...name].length > max)) {
    return `must have at most ${max} characters`;
  }
  if (!name.isWellFormed()) return 'must not contain half of a surrogate pair';
  if (CONTROL_CHARACTER.test(name)) return 'must not contain control characters';
  if (!NOT_BLANK.test(name)) return 'must not be blank';
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
