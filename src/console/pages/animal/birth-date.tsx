/** When an animal was born, as exactly as it is known. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AGE_GROUPS } from '../../../domain/profile.ts';
import { confirm } from '../../components/dialog.tsx';
import { Field, FieldProblem, Select, useShown } from '../../components/field.tsx';
import type { ReadField } from '../../components/form.tsx';
import { readDecimal } from '../../decimal.ts';
import { todayHere } from '../../format.ts';
import { language, t } from '../../language.ts';
import type { Profile, ProfileChange } from '../../service.ts';

const OLDEST = 1900;
const NO_YEAR = t`Enter a year such as 2021. If only the age is known, leave it empty and choose the age group.`;
const NAMES = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
const MONTHS = Array.from(
  { length: 12 },
  (_, month) => [pad(month + 1), NAMES.format(Date.UTC(2000, month))] as const,
);

/** Returns what is wrong with a date or the beginning of one, such as `2026-05`. */
export function comingProblem(date: string): string | undefined {
  return date > todayHere().slice(0, date.length) ? t`This is after today.` : undefined;
}

/** Year, month and day: what is left out is not known. Without a year, its children ask for something else. */
export function BirthDate({ children }: { readonly children: ComponentChildren }) {
  const { birthDate, birthDatePrecision: precision } = useShown<Profile>();
  const [known = '', knownMonth = '', knownDay = ''] = birthDate?.split('-') ?? [];
  const [year, setYear] = useState(known);
  const [month, setMonth] = useState(precision === 'year' ? '' : knownMonth);
  return (
    <>
      <fieldset class="field field-row">
        <legend>{t`Born`}</legend>
        <Field
          label={t`Year`}
          name="birthYear"
          type="number"
          value={year}
          onValue={setYear}
          check={(text) => {
            if (text === '') return month === '' ? undefined : t`Enter the year.`;
            return Number(text) < OLDEST ? NO_YEAR : comingProblem(text);
          }}
        />
        <Select
          label={t`Month`}
          name="birthMonth"
          value={month}
          options={[['', t`Not known`], ...MONTHS]}
          onValue={setMonth}
          check={(text) => (text === '' ? undefined : comingProblem(`${year}-${text}`))}
        />
        <Field
          label={t`Day`}
          name="birthDay"
          type="number"
          value={precision === 'day' ? String(Number(knownDay)) : ''}
          min={1}
          max={31}
          check={(text) => {
            if (text === '') return undefined;
            if (month === '') return t`Choose the month.`;
            const date = `${year}-${month}-${pad(text)}`;
            return isDate(date) ? comingProblem(date) : t`This month has no such day.`;
          }}
        />
        <p class="hint">{t`Leave out the day, or the month too, if it is not known.`}</p>
      </fieldset>
      {year === '' && children}
    </>
  );
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function pad(value: number | string): string {
  return String(value).padStart(2, '0');
}

/** Animals older than this are asked about, in years. */
const OLD_YEARS = { horse: 45, reptile: 100, bird: 100 } as const;
const OLD_YEARS_OTHERS = 30;

/**
 * Asks about a birth date that few animals of the kind have. Throws a `FieldProblem` for the field if it
 * was a mistake.
 */
export async function askAboutAge(
  { birthDate, species }: Pick<ProfileChange, 'birthDate' | 'species'>,
  field: string,
): Promise<void> {
  const most = { ...OLD_YEARS }[species as keyof typeof OLD_YEARS] ?? OLD_YEARS_OTHERS;
  const age = new Date().getFullYear() - Number(birthDate?.slice(0, 4) ?? Infinity);
  if (age <= most) return;
  const isRight = await confirm({
    title: t`Is this birth date right?`,
    text: t`The animal would be about ${age} years old.`,
    action: t`It is right`,
    keep: t`Change it`,
    isHarmless: true,
  });
  if (!isRight) throw new FieldProblem(field, t`Check the year of birth.`);
}

/** Reads the fields of a birth date, and the age group if there is none. `seen` has what was shown. */
export function readBirthDate(read: ReadField, seen: Partial<Profile>): ProfileChange {
  const year = read('birthYear');
  const month = read('birthMonth');
  const day = read('birthDay');
  if (year === '') {
    const ageGroup = AGE_GROUPS.find((one) => one === read('ageGroup')) ?? null;
    return { birthDate: null, birthDatePrecision: null, ageGroup };
  }
  const known = [year, month, month && day && pad(day)].filter(Boolean).join('-');
  const precision = (['year', 'month', 'day'] as const)[known.split('-').length - 1] ?? 'day';
  // Of a date that is known to the month, the day means nothing: it stays as it is.
  const isSame = precision === seen.birthDatePrecision && seen.birthDate?.startsWith(known);
  const birthDate = isSame ? seen.birthDate : `${known}-01-01`.slice(0, '2000-01-01'.length);
  return { birthDate, birthDatePrecision: precision };
}

/** Returns the birth date of an animal of about this age: `2`, `years`. */
export function birthDateAt(age: string, unit: string, now = new Date()): ProfileChange {
  if (age === '') return {};
  const isYears = unit === 'years';
  const months = Math.round(readDecimal(age) * (isYears ? 12 : 1));
  const born = new Date(Date.UTC(now.getFullYear(), now.getMonth() - months, 1));
  const date = born.toISOString();
  return isYears
    ? { birthDate: `${date.slice(0, 4)}-01-01`, birthDatePrecision: 'year' }
    : { birthDate: `${date.slice(0, 7)}-01`, birthDatePrecision: 'month' };
}
