/** Signed 64-bit integers, held as `bigint` everywhere: a `number` is exact only to 2^53. */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The largest id that the service assigns: a JavaScript client can hold it exactly. */
export const ASSIGNED_ID_MAX = 2n ** 53n - 1n;

export type Int64Problem = 'not_an_integer' | 'out_of_range';

const DIGITS_MAX = 19;
/** A longer exponent is refused without computing it: no int64 needs one. */
const EXPONENT_DIGITS_MAX = 4;

const JSON_NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/;

/** Returns whether a `bigint` fits in 64 bits. */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/**
 * Parses the text of a JSON number (RFC 8259, section 6) as an int64. Every spelling of an integer
 * counts: `3`, `3.0`, `30e-1`. Takes linear time; `1e999999999` is refused without computing it.
 */
export function int64FromJsonNumber(source: string): bigint | Int64Problem {
  // Nearly all numbers are plain integers.
  const plain = int64FromText(source);
  if (plain !== undefined) return plain;
  const match = JSON_NUMBER.exec(source);
  if (match === null) return 'not_an_integer';
  const [, sign = '', whole = '', fraction = '', exponentSign = '', exponentDigits = '0'] = match;
  if (exponentDigits.length > EXPONENT_DIGITS_MAX) return 'out_of_range';
  const exponent = Number(exponentSign + exponentDigits);

  const digits = whole + fraction;
  let first = 0;
  while (first < digits.length && digits[first] === '0') first++;
  if (first === digits.length) return 0n;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;

  // The value is digits[first..end) × 10^scale, with no zero at either end.
  const scale = exponent - fraction.length + (digits.length - end);
  if (scale < 0) return 'not_an_integer';
  if (end - first + scale > DIGITS_MAX) return 'out_of_range';
  const value = BigInt(sign + digits.slice(first, end) + '0'.repeat(scale));
  return isInt64(value) ? value : 'out_of_range';
}

const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]{0,18})$/;

/**
 * Parses an int64 in its plain decimal form, as in paths, queries and CSV columns. Returns undefined
 * for every other spelling (`01`, `+1`, `-0`, `1.0`, blanks) and for values out of range.
 */
export function int64FromText(text: string): bigint | undefined {
  if (!PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}
