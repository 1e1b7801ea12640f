import { linesProblem, nameProblem } from '../domain/name.ts';
import {
  ADDRESS_PATTERN,
  type Fee,
  PROFILE_FIELDS,
  type ProfileChange,
  type ProfileField,
  type ProfileFieldName,
} from '../domain/profile.ts';
import { readBreed, readSex } from './sex-and-breed.ts';
import { flagIn, saysUnknown, wordIn } from './words.ts';

/**
 * Longer than any value. Some patterns take the square of a length, so a cell of 256 KiB would take them minutes, and
 * rows of 2,000 characters a second for a few dozen.
 */
const VALUE_MAX = 250;
/** The same of an address, and of a list in JSON, which no such pattern reads. */
const LONG_VALUE_MAX = 2_000;
const LONG: readonly ProfileField['kind'][] = ['address', 'list', 'line'];
const ADDRESS = new RegExp(ADDRESS_PATTERN);

/**
 * Reads what a text says of a field, or of several. An empty change for a text that says nothing;
 * undefined for one that fits nothing. Dates are read elsewhere: their form depends on the column.
 *
 * With `isExact` the text is from our own export: it says this and nothing else. A weight without a unit
 * has that of its `header`.
 */
export function readValue(
  name: ProfileFieldName,
  text: string,
  isExact: boolean,
  header = '',
): ProfileChange | undefined {
  const written = isExact ? text : text.trim();
  if (written === '') return {};
  const field: ProfileField = PROFILE_FIELDS[name];
  const isLong = name !== 'breed' && LONG.includes(field.kind);
  const most = field.kind === 'lines' ? Infinity : isLong ? LONG_VALUE_MAX : VALUE_MAX;
  if (written.length > most) return undefined;
  if (!isExact && field.kind !== 'lines' && saysUnknown(written)) return {};
  if (name === 'sex' && !isExact) return readSex(written);
  if (name === 'breed' && !isExact) return readBreed(written);
  if (name === 'secondBreed' && !isExact) {
    const { breed, mixed } = readBreed(written) ?? {};
    return { ...(breed && { secondBreed: breed }), ...(mixed && { mixed }) };
  }
  if (name === 'size' && !isExact) return sizeIn(written);
  const value = valueIn(name, field, written, isExact, header);
  return value === undefined ? undefined : { [name]: value };
}

function valueIn(
  name: ProfileFieldName,
  field: ProfileField,
  text: string,
  isExact: boolean,
  header: string,
): unknown {
  switch (field.kind) {
    case 'word':
      return wordIn(name, field.words, text);
    case 'flag':
      return flagIn(name, text);
    case 'line':
      // Objects of other programs are for programs.
      if (!isExact && typeof jsonIn(text) === 'object') return undefined;
      return nameProblem(text, field.max) === undefined ? text : undefined;
    case 'lines':
      return linesProblem(text, field.max) === undefined ? text : undefined;
    case 'whole': {
      const number = gramsIn(text, header, isExact);
      return number !== undefined && number >= field.min && number <= field.max
        ? number
        : undefined;
    }
    case 'list':
      return listIn(text, field);
    case 'fee':
      return feeIn(text);
    case 'address':
      return isAddress(text, field.max) ? text : undefined;
    case 'code': {
      // Spreadsheets get an apostrophe, so that they do not round the number.
      const code = text.replaceAll(/['\s-]|\.0$/g, '').toUpperCase();
      return field.pattern.test(code) ? code : undefined;
    }
    default:
      return undefined;
  }
}

/** `Medium 26-60 lbs` has its weights after the word. */
function sizeIn(text: string): ProfileChange | undefined {
  const word = text.replace(/[\s:,(-]*(?:up to |over |under |bis |ab )?\d.*$/s, '');
  const size = wordIn('size', PROFILE_FIELDS.size.words, word);
  return size === undefined ? undefined : { size: size as 'small' };
}

function isAddress(text: string, max: number): boolean {
  return ADDRESS.test(text) && text.length <= max;
}

/** Reads a list as JSON, or its first parts: `Brown/White` are two colours. */
function listIn(
  text: string,
  { items, max }: { readonly items: number; readonly max: number },
): readonly string[] | undefined {
  const list =
    jsonIn(text) ??
    [...new Set(text.split(/(?:[/,;&]|\s(?:and|und|y|et|mit|with|con|avec)\s)(?![^()]*\))/i))]
      .map((part) => part.trim())
      // `Black/None` is one colour.
      .filter((part) => !saysUnknown(part));
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const first: unknown[] = list.slice(0, items);
  const isRight = (one: unknown) => typeof one === 'string' && nameProblem(one, max) === undefined;
  return first.every(isRight) ? (first as string[]) : undefined;
}

/** Parses a JSON array or object. */
function jsonIn(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The units of weights in grams, with what is written for them. */
const UNITS: readonly (readonly [grams: number, names: string])[] = [
  [1, 'g, gr, gram, grams, gramm'],
  [1_000, 'kg, kgs, kilo, kilos, kilogram, kilograms, kilogramm'],
  [28.349_523_125, 'oz, ounce, ounces'],
  [453.592_37, 'lb, lbs, pound, pounds'],
];
const GRAMS = new Map(
  UNITS.flatMap(([grams, names]) => names.split(', ').map((name) => [name, grams] as const)),
);
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu;

/** A header can be as long as a line. */
const HEADER_MAX = 200;

/** Returns the units that a header such as `Weight (kg)` or `weight_lbs` names, each in grams. */
function unitsIn(header: string): readonly number[] {
  const words = header.slice(0, HEADER_MAX).match(WORD) ?? [];
  return [...new Set(words.flatMap((word) => GRAMS.get(word.toLowerCase()) ?? []))];
}

/**
 * Reads a whole number of grams, or a weight with its units, here or in the header. More than two digits
 * after a sign may be decimals or thousands, so they are not read, and a number alone has no unit.
 */
function gramsIn(text: string, header: string, isExact: boolean): number | undefined {
  const plain = text.replaceAll(/[()]/g, ' ').trim();
  if (isExact) return /^\d{1,9}$/.test(plain) ? Number(plain) : undefined;
  const [, whole, part = ''] = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(plain) ?? [];
  if (whole !== undefined) {
    const [grams, other] = unitsIn(header);
    if (grams === undefined || other !== undefined) return undefined;
    return Math.round(Number(`${whole}.${part}`) * grams);
  }
  if (!/^(?:\d{1,9}(?:[.,]\d{1,2})? *[a-z]+\.?[ ,]*){1,2}$/i.test(plain)) return undefined;
  let sum = 0;
  let before = Infinity;
  for (const [, count = '', unit = ''] of plain.matchAll(/(\d+(?:[.,]\d+)?) *([a-z]+)/gi)) {
    const grams = GRAMS.get(unit.toLowerCase());
    if (grams === undefined || grams >= before) return undefined;
    before = grams;
    sum += Number(count.replace(',', '.')) * grams;
  }
  return Math.round(sum);
}

/** Says why a value of a part was not read; undefined where nobody understands it. */
export function reasonUnread(part: string, text: string): string | undefined {
  const field = Object.entries(PROFILE_FIELDS).find(([name]) => name === part)?.[1];
  const written = text.trim();
  if (part === 'weightGrams' && /^\d+(?:[.,]\d+)?$/.test(written)) return 'it has no unit';
  if (part === 'fee' && /^\d+(?:[.,]\d+)?$/.test(written)) return 'it names no currency';
  if (part === 'age' && /^\d+$/.test(written)) {
    return 'it has no unit; say it in the header, as "Age (years)"';
  }
  if (field !== undefined && 'max' in field && field.kind !== 'whole' && field.kind !== 'code') {
    if (written.length > field.max) {
      return `it is longer than ${field.max.toLocaleString('en')} characters`;
    }
  }
  if (field?.kind === 'date' && /^\d{1,2}[/-]\d{1,2}[/-]\d{2,4}/.test(written)) {
    return 'its day and month cannot be told apart, or it is after today';
  }
  return undefined;
}

const FEE = /^([A-Z]{3})? ?(\d{1,8})(?:[.,](\d{1,4}))? ?([A-Z]{3})?$/;
const FEE_MAX = 10_000_000;

/** Reads `75 USD`, `EUR 12.50` or `€80`. A sign that several currencies share is no currency. */
function feeIn(text: string): Fee | undefined {
  const fee = jsonIn(text);
  if (typeof fee === 'object' && fee !== null && 'amount' in fee && 'currency' in fee) {
    const isRight = [fee.amount, fee.currency].every(
      (part) => typeof part === 'string' || typeof part === 'number',
    );
    // An object need not become a text.
    return isRight ? checkedFee(String(fee.amount), String(fee.currency)) : undefined;
  }
  const plain = text
    .toUpperCase()
    .replace(/€|EUROS?$/, 'EUR')
    .replace('£', 'GBP');
  const [, before, whole = '', part = '', after] = FEE.exec(plain) ?? [];
  const currency = before ?? after;
  if (currency === undefined || (before !== undefined && after !== undefined)) return undefined;
  const digits = minorDigits(currency);
  if (part.length > digits) return undefined;
  return checkedFee(whole + part.padEnd(digits, '0'), currency);
}

function checkedFee(text: string, currency: string): Fee | undefined {
  const amount = Number(text);
  const isRight = /^\d+$/.test(text) && amount <= FEE_MAX && /^[A-Z]{3}$/.test(currency);
  return isRight ? { amount, currency } : undefined;
}

/** The digits of the minor unit of a currency: 2 for most. */
function minorDigits(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Writes a value as a cell of our own export, from which `readValue` reads the same. */
export function textOf(value: string | number | boolean | readonly string[] | Fee): string {
  if (typeof value !== 'object') return String(value);
  if ('amount' in value) {
    const digits = minorDigits(value.currency);
    const amount = String(value.amount).padStart(digits + 1, '0');
    const whole = amount.slice(0, amount.length - digits);
    return `${whole}${digits > 0 ? `.${amount.slice(-digits)}` : ''} ${value.currency}`;
  }
  const joined = value.join('/');
  const read = listIn(joined, PROFILE_FIELDS.colours);
  return JSON.stringify(read) === JSON.stringify(value) ? joined : JSON.stringify(value);
}
