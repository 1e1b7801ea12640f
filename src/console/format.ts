/** Numbers, dates and words in the reader's locale. */
import { timeBetween } from '../domain/age.ts';
import { dateText } from '../domain/profile.ts';
import { language, translate } from './language.ts';
import type { Profile } from './service.ts';

const number = new Intl.NumberFormat();

/** Returns a function that writes times in one form. */
function writer(form: Intl.DateTimeFormatOptions): (value: string | Date) => string {
  const format = new Intl.DateTimeFormat(undefined, form);
  return (value) => format.format(new Date(value));
}

/** `22 Nov 2026` */
export const formatDay = writer({ dateStyle: 'medium' });

/** `22 Nov`, in UTC: for axes, since the service counts by its days and weeks. */
export const formatShortDay = writer({ day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `22 Nov, 14:00` */
export const formatHour = writer({
  ...{ day: 'numeric', month: 'short' },
  ...{ hour: '2-digit', minute: '2-digit' },
});

/** `22 Nov 2026, 14:05` */
export const formatMoment = writer({ dateStyle: 'medium', timeStyle: 'short' });

/** `14:05:09` */
export const formatTime = writer({ timeStyle: 'medium' });

// These make words, which are in the language of the console.
const WORDED = language === 'en' ? 'en-GB' : language;
const relative = new Intl.RelativeTimeFormat(WORDED, { numeric: 'auto' });
const list = new Intl.ListFormat(WORDED);

const DAY_MS = 86_400_000;
/** The units of `formatAgo`, in milliseconds. */
const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `12,345` */
export function formatNumber(value: number | bigint): string {
  return number.format(value);
}

const DATE_FORMS = {
  day: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(WORDED, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  year: new Intl.DateTimeFormat(undefined, { year: 'numeric', timeZone: 'UTC' }),
};

/** How exactly a date is known. */
export type DatePrecision = keyof typeof DATE_FORMS;

/** `22 Nov 2026`, `November 2026` or `2026` for the calendar date `2026-11-22`. */
export function formatDate(date: string, precision: DatePrecision = 'day'): string {
  return DATE_FORMS[precision].format(new Date(date));
}

/**
 * How long ago a calendar date is in whole years or months, no more exactly than it is known:
 * `3 years`, `5 months`, `12 days`.
 */
export function formatAge(date: string, precision: DatePrecision, now = Date.now()): string {
  const [number, unit] = timeBetween(date, dateText(now), precision);
  return number === 0 && unit !== 'day' ? translate(`under a ${unit}`) : count(number, unit);
}

const kilograms = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilogram' });
const grams = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'gram' });

/** `12.4 kg`, `850 g` */
export function formatWeight(value: number): string {
  return value < 1_000 ? grams.format(value) : kilograms.format(value / 1_000);
}

/** An amount in the minor unit of its currency, such as cents. */
export type Money = NonNullable<Profile['fee']>;

/** How many minor units a currency has in its major one, as a power of ten: 2 for EUR, 0 for JPY. */
export function currencyDigits(currency: string): number {
  return money(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

/** `€120.00` */
export function formatMoney({ amount, currency }: Money): string {
  return money(currency).format(amount / 10 ** currencyDigits(currency));
}

/** Throws a `RangeError` unless the currency has three letters. */
function money(currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat(undefined, { style: 'currency', currency });
}

/** `5 minutes ago`, `yesterday`; a date if it is more than a week away. */
export function formatAgo(value: string | Date, now = Date.now()): string {
  const difference = new Date(value).getTime() - now;
  const distance = Math.abs(difference);
  if (distance >= 7 * DAY_MS) return formatDay(value);
  const [unit, length] = UNITS.find(([, milliseconds]) => distance >= milliseconds) ?? UNITS[3];
  return relative.format(Math.round(difference / length), unit);
}

/** `cats, dogs and rabbits` */
export function formatList(values: readonly string[]): string {
  return list.format(values);
}

/** Cuts off a text that is longer than a number of characters. */
export function shortened(text: string, max = 80): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** `1 animal`, `2 animals`, in the language of the console. */
export function count(value: number, one: string, several = `${one}s`): string {
  return translate(`{0} ${value === 1 ? one : several}`, formatNumber(value));
}

/** Returns the Monday of a week of ISO 8601 such as `2026-W47`. */
export function mondayOf(week: string): Date {
  const [year = 0, number = 1] = week.split('-W').map(Number);
  // 4 January is always in the first week.
  const fourth = new Date(Date.UTC(year, 0, 4));
  const weekday = (fourth.getUTCDay() + 6) % 7;
  return new Date(fourth.getTime() + ((number - 1) * 7 - weekday) * DAY_MS);
}

/** Writes seconds to wait, never too few: `5 minutes`. */
export function formatWait(seconds: number): string {
  if (seconds < 60) return count(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour');
}

/** The day in the person's own time zone: `2026-11-26`. */
export const todayHere = () => localTime(new Date()).slice(0, 10);

/** `2026-11-26 14:05:09` by the clock of the reader. */
export const localTime = (time: Date) => time.toLocaleString('sv');
