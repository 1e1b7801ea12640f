import { t } from './language.ts';

/** Decimal numbers as people type them, with a point or a comma. */

const DECIMAL = /^(?:\d+(?:[.,]\d*)?|[.,]\d+)$/;
/** Thousands in groups of three, and perhaps the other sign before the smaller part. */
const GROUPED = /^\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d*)?$/;
/** Three digits after a sign may be thousands, or the smaller part of a number. */
const UNCLEAR = /^([1-9]\d{0,2})[.,](\d{3})$/;
/** A unit or a currency, before or after the number. */
const UNIT = /^(\p{L}{1,3}\.?|\p{Sc})?(.*?)(\p{L}{1,3}\.?|\p{Sc})?$/u;

/** Returns the number and the unit of a text such as `23,5 kg` or `€ 1.250,00`. */
export function partsOf(text: string): { readonly digits: string; readonly unit: string } {
  const spaced = text.replaceAll(/[\s\u202f\u00a0]+/g, ' ').trim();
  const [, before = '', digits = '', after = ''] = UNIT.exec(spaced) ?? [];
  return { digits: digits.trim(), unit: (before || after).toLowerCase() };
}

/** Returns the number of a text: 12.5 for `12.5`, `12,5` and `12,5 kg`. NaN if `decimalProblem` has a complaint. */
export function readDecimal(text: string): number {
  const { digits } = partsOf(text);
  if (DECIMAL.test(digits)) return Number(digits.replace(',', '.'));
  const [, group] = GROUPED.exec(digits) ?? [];
  if (group === undefined) return Number.NaN;
  const whole = digits.replaceAll(group, '').replace(',', '.');
  // With thousands alone, one sign could be both.
  return (digits.match(/[.,]/g) ?? []).length === 1 && '.,'.includes(group)
    ? Number.NaN
    : Number(whole);
}

/** The least and the greatest number that is taken. */
export interface Limits {
  readonly min: number;
  readonly max?: number;
  /** The units that may stand beside the number, in small letters; by default none. */
  readonly units?: (unit: string) => boolean;
}

/** Returns what is wrong with a text, in words for the person. An empty one is a number not given. */
export function decimalProblem(
  text: string,
  { min, max = Infinity, units = () => false }: Limits,
): string | undefined {
  if (text.trim() === '') return undefined;
  const { digits, unit } = partsOf(text);
  if (unit !== '' && !units(unit)) return t`“${unit}” does not belong here.`;
  const [, whole, rest] = UNCLEAR.exec(digits) ?? [];
  if (whole) return t`This could be ${whole}${rest} or ${whole}.${rest}0: write one of them.`;
  const number = readDecimal(digits);
  if (Number.isNaN(number)) return t`Enter a number such as 1234.5 or 1234,5.`;
  if (number < min) return t`Enter ${min} or more.`;
  return number > max ? t`Enter ${max} or less.` : undefined;
}
