/** Decimal numbers as people type them, with a point or a comma. */

const DECIMAL = /^(?:\d+(?:[.,]\d*)?|[.,]\d+)$/;
/** Three digits after a sign may be thousands, or the smaller part of a number. */
const UNCLEAR = /^([1-9]\d{0,2})[.,](\d{3})$/;

/** Returns the number of a text: 12.5 for `12.5` and `12,5`. NaN if `decimalProblem` has a complaint. */
export function readDecimal(text: string): number {
  return DECIMAL.test(text.trim()) ? Number(text.trim().replace(',', '.')) : Number.NaN;
}

/** The least and the greatest number that is taken. */
export interface Limits {
  readonly min: number;
  readonly max?: number;
}

/** Returns what is wrong with a text, in words for the person. An empty one is a number not given. */
export function decimalProblem(text: string, { min, max = Infinity }: Limits): string | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const [, whole, rest] = UNCLEAR.exec(typed) ?? [];
  if (whole) return `This could be ${whole}${rest} or ${whole}.${rest}0: write one of them.`;
  const number = readDecimal(typed);
  if (Number.isNaN(number))
    return 'Enter digits, with one point or comma at most: 1234.5 or 1234,5.';
  if (number < min) return `Enter ${min} or more.`;
  return number > max ? `Enter ${max} or less.` : undefined;
}
