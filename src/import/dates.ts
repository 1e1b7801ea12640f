import { ageGroupAt, dateText, isInFuture, type ProfileChange } from '../domain/profile.ts';

const TIME = String.raw`(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?(?:Z| ?[+-]\d{2}:?\d{2})?)?`;
const form = (date: string) => new RegExp(`^${date}${TIME}$`);
const DAY = String.raw`(?<day>\d{1,2})`;
const MONTH = String.raw`(?<month>\d{1,2})`;
const YEAR = String.raw`(?<year>\d{4})`;

const ISO = form(String.raw`(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})`);
/** The orders of dates with slashes, which cannot always be told apart. */
const ORDERS = [form(`${MONTH}/${DAY}/${YEAR}`), form(`${DAY}/${MONTH}/${YEAR}`)];
/** All forms in which programs write dates. */
const FORMS = [ISO, form(String.raw`${DAY}\.${MONTH}\.${YEAR}`), ...ORDERS];

/** Longer than any date or age. Patterns take a second for a cell of 256 KiB. */
const TEXT_MAX = 100;
/** No animal was born before. */
const FIRST_DATE = '1800-01-01';

/** Reads a date in one form. Undefined for any other text, and for days that no calendar has. */
function dateIn(text: string, written: RegExp): string | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const { year, month = '', day = '' } = written.exec(text)?.groups ?? {};
  if (year === undefined) return undefined;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  // A day that the month does not have becomes one of the next month.
  return Number.isNaN(time) || dateText(time) !== date || date < FIRST_DATE ? undefined : date;
}

/** The dates of a column. */
export interface DateColumn {
  /** Takes a value into account, before any is read. */
  add(text: string): void;
  /** Returns a date that is not after today; undefined for a value that cannot be told. */
  read(text: string): string | undefined;
}

/**
 * Reads each value that has only one meaning. `03/05/2021` has two: it is read if other values of the
 * column can only have one order, and none only the other one.
 */
export function createDateColumn(now: () => number): DateColumn {
  const orders = new Set<RegExp>();
  return {
    add(text) {
      const [first, second] = ORDERS.filter((one) => dateIn(text, one));
      if (first !== undefined && second === undefined) orders.add(first);
    },
    read(text) {
      const [order] = orders.size === 1 ? orders : [];
      const ordered = order && dateIn(text, order);
      const meanings = new Set(FORMS.flatMap((one) => dateIn(text, one) ?? []));
      const [only] = meanings.size === 1 ? meanings : [];
      const date = ordered ?? only;
      return date === undefined || isInFuture(date, now()) ? undefined : date;
    },
  };
}

const AGE = /^(?:\d{1,3} ?(?:years?|yrs?|y|months?|mos?|weeks?|wks?|w|days?|d)[ ,]*)+(?:old)?$/i;
const AGE_PART = /(\d+) ?([a-z])([a-z]?)/gi;

/**
 * Reads an age such as `2 years` or `1 year 3 months`. With the day on which the animal had that age, it
 * is about when it was born, else an age group. Undefined for any other text.
 */
export function readAge(
  text: string,
  at: string | undefined,
  now: number,
): ProfileChange | undefined {
  if (text.length > TEXT_MAX || !AGE.test(text)) return undefined;
  const day = new Date(at ?? now);
  let precision: 'year' | 'month' | 'day' = 'year';
  for (const [, number, unit = ''] of text.matchAll(AGE_PART)) {
    const count = Number(number);
    switch (unit.toLowerCase()) {
      case 'y':
        day.setUTCFullYear(day.getUTCFullYear() - count);
        break;
      case 'm':
        day.setUTCMonth(day.getUTCMonth() - count);
        if (precision === 'year') precision = 'month';
        break;
      case 'w':
        day.setUTCDate(day.getUTCDate() - 7 * count);
        if (precision === 'year') precision = 'month';
        break;
      default:
        day.setUTCDate(day.getUTCDate() - count);
        precision = 'day';
    }
  }
  // A list of ages can add up to more than a date can hold.
  if (Number.isNaN(day.getTime())) return undefined;
  const date = dateText(day.getTime());
  if (at === undefined) return { ageGroup: ageGroupAt(date, now) };
  return date < FIRST_DATE ? undefined : { birthDate: date, birthDatePrecision: precision };
}
