import { DAY_MS } from '../domain/clock.ts';
import { ageGroupAt, dateText, isInFuture, type ProfileChange } from '../domain/profile.ts';
import { meaningsOf } from './words.ts';

const TIME = String.raw`(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?:Z| ?[+-]\d{2}:?\d{2}| UTC)?)?`;
const form = (date: string) => new RegExp(`^${date}${TIME}$`, 'iu');
const DAY = String.raw`(?<day>\d{1,2})`;
const MONTH = String.raw`(?<month>\d{1,2})`;
const YEAR = String.raw`(?<year>\d{4}|\d{2})`;
const LONG_YEAR = String.raw`(?<year>\d{4})`;
const NAME = String.raw`(?<name>\p{L}{3,10})\.?`;
const WEEKDAY = String.raw`(?:\p{L}{2,10},? )?`;

/** The orders of dates that cannot always be told apart. */
const ORDERS = [form(`${MONTH}[/-]${DAY}[/-]${YEAR}`), form(`${DAY}[/-]${MONTH}[/-]${YEAR}`)];
/** All forms in which programs write dates. */
const FORMS = [
  form(`${LONG_YEAR}[-/.]${MONTH}[-/.]${DAY}`),
  form(String.raw`${LONG_YEAR}(?<month>\d{2})(?<day>\d{2})`),
  form(String.raw`${DAY}\. ?${MONTH}\. ?${YEAR}`),
  form(String.raw`${DAY}(?:\.|st|nd|rd|th)?[ -]${NAME}[ -]${YEAR}`),
  form(`${WEEKDAY}${DAY} ${NAME} ${LONG_YEAR}`),
  form(`${DAY} de ${NAME} de ${YEAR}`),
  form(`${WEEKDAY}${NAME} ${DAY}(?:st|nd|rd|th)?,? ${LONG_YEAR}`),
  ...ORDERS,
];

/** Names of months in English, German, Spanish, French, Czech, Italian, Dutch and Portuguese, as far as they differ. */
const MONTHS = [
  'january, januar, jänner, enero, janvier, ledna, leden, gennaio, januari, janeiro',
  'february, februar, febrero, février, února, únor, febbraio, februari, fevereiro',
  'march, märz, marzo, mars, března, březen, maart, março',
  'april, abril, avril, dubna, duben, aprile',
  'may, mai, mayo, května, květen, maggio, mei, maio',
  'june, juni, junio, juin, června, červen, giugno, junho',
  'july, juli, julio, juillet, července, červenec, luglio, julho',
  'august, agosto, août, srpna, srpen, augustus',
  'september, septiembre, septembre, sept, září, settembre, setembro',
  'october, oktober, octubre, octobre, října, říjen, ottobre, outubro',
  'november, noviembre, novembre, listopadu, listopad, novembro',
  'december, dezember, diciembre, décembre, prosince, prosinec, dicembre, dezembro',
].map((names) => names.split(', '));

/** Longer than any date or age. Patterns take a second for a cell of 256 KiB. */
const TEXT_MAX = 100;
/** No animal was born before. */
const FIRST_DATE = '1800-01-01';
/** What Access and Excel write for an empty date. */
export const ZERO_DATES = new Set(['1899-12-30', '1899-12-31', '1900-01-01']);

/** Returns the month that a name or its first letters stand for; undefined for two, as `ju`. */
function monthOf(name: string): string | undefined {
  const written = name.toLowerCase();
  const whole = MONTHS.findIndex((names) => names.includes(written));
  if (whole >= 0) return String(whole + 1);
  const found = MONTHS.flatMap((names, index) =>
    names.some((one) => one.startsWith(written)) ? [index] : [],
  );
  return found.length === 1 ? String((found[0] ?? 0) + 1) : undefined;
}

/** A year of two digits is of this century unless it is yet to come. */
function wholeYear(year: string, now: number): string {
  if (year.length === 4) return year;
  const century = Number(year) > new Date(now).getUTCFullYear() % 100 ? '19' : '20';
  return `${century}${year}`;
}

/** Reads a date in one form. Undefined for any other text, and for days that no calendar has. */
function dateIn(text: string, written: RegExp, now: number): string | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const groups = written.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { year = '', day = '', name } = groups;
  const month = name === undefined ? groups.month : monthOf(name);
  if (month === undefined) return undefined;
  const date = `${wholeYear(year, now)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  // A day that the month does not have becomes one of the next month.
  return Number.isNaN(time) || dateText(time) !== date || date < FIRST_DATE ? undefined : date;
}

/** Days of spreadsheets from 1954 to 2064. Other numbers are no dates. */
const SERIAL = /^(?:[2-5]\d{4})(?:\.\d+)?$/;

function serialDate(text: string): string | undefined {
  if (text.length > TEXT_MAX || !SERIAL.test(text)) return undefined;
  return dateText(Date.UTC(1899, 11, 30) + Math.floor(Number(text)) * DAY_MS);
}

/** Reads the seconds since 1970 of a column that is called so. */
export function unixDate(text: string, header: string): string | undefined {
  return /unix/i.test(header) && /^\d{8,10}$/.test(text)
    ? dateText(Number(text) * 1_000)
    : undefined;
}

const datesIn = (text: string, now: number) =>
  new Set(FORMS.flatMap((one) => dateIn(text, one, now) ?? []));

/** Returns whether a text can be a date in some form. */
export function isDateLike(text: string): boolean {
  return datesIn(text, 0).size > 0 || serialDate(text) !== undefined || isZeroDate(text);
}

/** Returns whether a text means that there is no date. */
export function isZeroDate(text: string): boolean {
  if (/^(?:0000-00-00|0?0[./]0?0[./]0000)/.test(text)) return true;
  const dates = datesIn(text, 0);
  return dates.size > 0 && [...dates].every((date) => ZERO_DATES.has(date));
}

const ABOUT =
  /^(?:ca\.?|circa|about|around|approx\.?|approximately|est\.?|etwa|um|ungefähr|env\.?|environ|vers|aprox\.?|aproximadamente|rond|~)\s*/i;

/** Reads `2019`, `ca. 2019` and `05/2023`. Undefined for a date with a day, and for any other text. */
export function readPartialDate(text: string, now: number): ProfileChange | undefined {
  const written = text.trim().replace(ABOUT, '');
  const [, name = '', named] = /^(\p{L}{3,10})\.? ((?:19|20)\d{2})$/u.exec(written) ?? [];
  const numbers = named === undefined ? written : `${monthOf(name) ?? 13}/${named}`;
  const [, month, year = ''] = /^(?:(\d{1,2})[./-])?((?:19|20)\d{2})$/.exec(numbers) ?? [];
  if (year === '' || Number(month ?? 1) > 12 || month === '0' || month === '00') return undefined;
  const birthDate = `${year}-${(month ?? '1').padStart(2, '0')}-01`;
  if (isInFuture(birthDate, now)) return undefined;
  return { birthDate, birthDatePrecision: month === undefined ? 'year' : 'month' };
}

/** The dates of a column. */
export interface DateColumn {
  /** Takes a value into account, before any is read. */
  add(text: string): void;
  /** Returns a date that is not after today; undefined for a value that cannot be told. */
  read(text: string): string | undefined;
  /** Returns whether a value can be a day up to today, even one that cannot be told. */
  mayBePast(text: string): boolean;
}

/** The order that a header names, as `Date of birth (DD/MM/YYYY)`. */
function orderNamed(header: string): RegExp | undefined {
  const [monthFirst, dayFirst] = ORDERS;
  if (/\bM{1,2}[-/.]D{1,2}\b/i.test(header)) return monthFirst;
  return /\b(?:D{1,2}|T{1,2}|J{1,2})[-/.]M{1,2}\b/i.test(header) ? dayFirst : undefined;
}

const theOnly = <T>(found: ReadonlySet<T>): T | undefined =>
  found.size === 1 ? found.values().next().value : undefined;

/**
 * Reads each value that has only one meaning. `03/05/2021` has two: it is read if the header names the order, or if
 * other values of the column fit one order alone, and all the same one. Where the column does not tell, the other
 * columns of the file do, whose orders are in `ofFile`. Days as spreadsheets number them are read if the column has
 * nothing else.
 */
export function createDateColumn(
  now: () => number,
  header = '',
  ofFile = new Set<RegExp>(),
): DateColumn {
  const orders = new Set<RegExp>();
  const named = orderNamed(header);
  if (named !== undefined) for (const found of [orders, ofFile]) found.add(named);
  let areSerials = true;
  return {
    add(text) {
      areSerials &&= serialDate(text) !== undefined;
      const [first, second] = ORDERS.filter((one) => dateIn(text, one, now()));
      if (first === undefined || second !== undefined) return;
      orders.add(first);
      ofFile.add(first);
    },
    mayBePast(text) {
      const all = [...datesIn(text, now())].filter((date) => !ZERO_DATES.has(date));
      return this.read(text) !== undefined || all.some((date) => !isInFuture(date, now()));
    },
    read(text) {
      const order = theOnly(orders.size > 0 ? orders : ofFile);
      const ordered = order && dateIn(text, order, now());
      const date =
        ordered ??
        unixDate(text, header) ??
        theOnly(datesIn(text, now())) ??
        (areSerials ? serialDate(text) : undefined);
      if (date === undefined || ZERO_DATES.has(date)) return undefined;
      return isInFuture(date, now()) ? undefined : date;
    },
  };
}

/** What is written for the units of ages, in the same languages. */
const UNITS = meaningsOf<AgeUnit>({
  y: 'years, year, yrs, yr, y, yo, jahre, jahr, jahren, j, años, año, anos, ano, ans, an, rok, roky, roků, let, anni, anno, jaar',
  m: 'months, month, mths, mth, mos, mo, m, monate, monat, monaten, mon, meses, mes, mois, měsíc, měsíce, měsíců, mesi, mese, maanden, maand',
  w: 'weeks, week, wks, wk, w, wochen, woche, semanas, semana, sem, semaines, semaine, týden, týdny, týdnů, settimane, settimana, weken',
  d: 'days, day, d, tage, tag, tagen, t, días, día, dias, dia, jours, jour, dny, dní, den, giorni, giorno, dagen, dag',
});
type AgeUnit = 'y' | 'm' | 'w' | 'd';
const OLD =
  /[\s.,(]*(?:old|of age|alt|de edad|estimated|est|approx\.?|approximately|ca\.?)?[\s.)]*$/i;
const PART = /(\d{1,4}(?:[.,]\d{1,2})?)\s*(\p{L}+)\.?/gu;
/** What may stand between the parts of an age. */
const BETWEEN = /^(?:\s|[,/&+-]|and|und|et|y|a)*$/i;
/** Older than any animal of a shelter: a tortoise. */
const YEARS_MAX = 100;

/**
 * Returns the unit of numbers without one: what the header names, such as `Age (Months)`, or years where the
 * words of the column name nothing else.
 */
export function ageUnitOf(header: string, words: ReadonlySet<string>): AgeUnit | undefined {
  const named = (header.slice(0, 200).match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 2)
    .flatMap((word) => UNITS.get(word) ?? []);
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  const units = new Set([...words].flatMap((word) => UNITS.get(word) ?? []));
  return units.size === 1 && units.has('y') ? 'y' : undefined;
}

/** The parts of an age; undefined for any other text. */
function ageParts(
  text: string,
  unit: AgeUnit | undefined,
): readonly (readonly [number, AgeUnit])[] | undefined {
  const age = text
    .replace(/(\d) ?½/, '$1.5')
    .replace(/(\d) 1\/2(?= )/, '$1.5')
    .replace('y/o', 'yo')
    .replace(ABOUT, '')
    .replace(OLD, '');
  if (/^\d{1,2}(?:[.,]\d)?$/.test(age)) {
    return unit && [[Number(age.replace(',', '.')), unit]];
  }
  const parts: [number, AgeUnit][] = [];
  let end = 0;
  for (const found of age.matchAll(PART)) {
    const [whole, count = '', name = ''] = found;
    const named = UNITS.get(name.toLowerCase());
    const isFirst = parts.length === 0;
    if (named === undefined || !BETWEEN.test(age.slice(end, found.index))) return undefined;
    if (isFirst && found.index > 0) return undefined;
    if (parts.some(([, other]) => other === named)) return undefined;
    parts.push([Number(count.replace(',', '.')), named]);
    end = found.index + whole.length;
  }
  return parts.length > 0 && BETWEEN.test(age.slice(end)) ? parts : undefined;
}

/**
 * Reads an age such as `2 years` or `1 year 3 months`. With the day on which the animal had that age, it
 * is about when it was born, else an age group. A number alone has the given unit. Undefined for any other text.
 */
export function readAge(
  text: string,
  at: string | undefined,
  now: number,
  unit?: AgeUnit,
): ProfileChange | undefined {
  if (text.length > TEXT_MAX) return undefined;
  // Korean files write the year of birth so.
  const [, year] = /^((?:19|20)\d{2}) ?\([^()]*\)/.exec(text) ?? [];
  if (year !== undefined) return readPartialDate(year, now);
  const parts = ageParts(text.trim(), unit);
  if (parts === undefined) return undefined;
  const day = new Date(at ?? now);
  let precision: 'year' | 'month' | 'day' = 'year';
  for (const [count, named] of parts) {
    const whole = Math.floor(count);
    if (named === 'd') {
      day.setUTCDate(day.getUTCDate() - whole);
      precision = 'day';
    } else if (named === 'w') {
      day.setUTCDate(day.getUTCDate() - Math.round(7 * count));
      if (precision === 'year') precision = 'month';
    } else {
      const months = Math.round(named === 'y' ? 12 * count : count);
      day.setUTCMonth(day.getUTCMonth() - months);
      if (precision === 'year' && (named === 'm' || whole !== count)) precision = 'month';
    }
  }
  const oldest = new Date(at ?? now);
  oldest.setUTCFullYear(oldest.getUTCFullYear() - YEARS_MAX);
  // A list of ages can add up to more than a date can hold.
  if (Number.isNaN(day.getTime()) || day < oldest) return undefined;
  const date = dateText(day.getTime());
  if (at === undefined) return { ageGroup: ageGroupAt(date, now) };
  return date < FIRST_DATE ? undefined : { birthDate: date, birthDatePrecision: precision };
}
