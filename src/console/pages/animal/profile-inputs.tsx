/** The inputs of a profile: for each kind of field one, and what it says. */

import { useState } from 'preact/hooks';
import {
  PROFILE_FIELDS,
  type ProfileField,
  type ProfileFieldName,
} from '../../../domain/profile.ts';
import {
  Choice,
  DecimalField,
  Field,
  type Options,
  Select,
  useShown,
} from '../../components/field.tsx';
import type { ReadField } from '../../components/form.tsx';
import { partsOf, readDecimal } from '../../decimal.ts';
import { currencyDigits } from '../../format.ts';
import { t } from '../../language.ts';
import type { Profile, ProfileChange } from '../../service.ts';
import { fieldName, fieldText, UNKNOWN } from '../../words.ts';
import { BirthDate, comingProblem, readBirthDate } from './birth-date.tsx';
import { ChipInput, codeOf } from './chip-input.tsx';

/** More choices than these are a list to open. */
const CHOICES_MAX = 4;
const GRAMS = 1_000;
/** Texts that may be longer than this get a large field. */
const LONG = 1_000;
/** The currency that was entered last, for the next fee. */
const CURRENCY = 'petstore-currency';

const HINTS: { readonly [name in ProfileFieldName]?: string } = {
  headline: t`One sentence that makes people look twice`,
  colours: t`Up to three, with commas: Brown, White`,
  inCareSince: t`The public page says how long it has been waiting.`,
  videoUrl: t`An address that begins with https://`,
  microchip: t`9 to 15 digits or letters`,
  ageGroup: t`If the year of birth is not known`,
};

export interface ProfileInputProps {
  readonly name: ProfileFieldName;
  /** The value at first, if not that of the record of the form. */
  readonly value?: string | null | undefined;
}

/** The input of a field. Unknown is a choice of its own, never "no". */
export function ProfileInput({ name, value: own }: ProfileInputProps) {
  const field = PROFILE_FIELDS[name];
  const profile = useShown<Profile>();
  const value = own ?? profile[name] ?? null;
  const shared = { label: fieldName(name), name, hint: HINTS[name] };
  const optionsOf = (values: readonly (string | boolean)[]): Options => [
    ['', UNKNOWN],
    ...values.map((one) => [`${one}`, fieldText(name, one)] as const),
  ];
  switch (field.kind) {
    case 'flag':
      return <Choice {...shared} value={`${value ?? ''}`} options={optionsOf([true, false])} />;
    case 'word': {
      const Input = field.words.length > CHOICES_MAX ? Select : Choice;
      return <Input {...shared} value={`${value ?? ''}`} options={optionsOf(field.words)} />;
    }
    case 'date':
      if (name === 'birthDate') return <BirthDateInput />;
      return (
        <Field
          {...shared}
          type="date"
          value={`${value ?? ''}`}
          // A hold ends some day to come.
          {...(name !== 'careUntil' && { check: comingProblem })}
        />
      );
    case 'whole':
      return (
        <DecimalField
          {...shared}
          label={t`${shared.label} in kg`}
          value={value === null ? '' : String(Number(value) / GRAMS)}
          min={field.min / GRAMS}
          max={field.max}
          units={(unit) => unit === 'kg' || unit === 'g'}
        />
      );
    case 'fee':
      return <FeeInput fee={profile.fee ?? null} />;
    case 'code':
      return <ChipInput {...shared} field={field} value={`${value ?? ''}`} />;
    default: {
      const isLong = field.kind === 'lines';
      const text = Array.isArray(value) ? value.join(', ') : `${value ?? ''}`;
      return (
        <Field
          {...shared}
          type={isLong ? 'textarea' : field.kind === 'address' ? 'url' : 'text'}
          value={text}
          check={(typed) => (typed === '' ? undefined : problemOf(field, typed))}
          {...(isLong && { rows: field.max > LONG ? 7 : 3 })}
          {...('max' in field && field.kind !== 'list' && { maxLength: field.max })}
        />
      );
    }
  }
}

/** Returns what is wrong with a text, in words for the person. */
function problemOf(field: ProfileField, text: string): string | undefined {
  switch (field.kind) {
    case 'list':
      if (listOf(text).length > field.items) return t`Enter at most ${field.items}.`;
      return listOf(text).some(({ length }) => length > field.max)
        ? t`Enter at most ${field.max} letters for each.`
        : undefined;
    case 'address':
      return text.startsWith('https://') ? undefined : t`Begin with https://.`;
    default:
      return undefined;
  }
}

/** Without a year of birth, it asks for the age group, which follows from it otherwise. */
function BirthDateInput() {
  const { birthDate } = useShown<Profile>();
  return (
    <BirthDate>
      <ProfileInput name="ageGroup" value={birthDate && ''} />
    </BirthDate>
  );
}

const SYMBOLS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  '£': 'GBP',
  fr: 'CHF',
  'fr.': 'CHF',
};

function FeeInput({ fee }: { readonly fee: Profile['fee'] }) {
  const [amount, setAmount] = useState(fee ? 'known' : '');
  const [currency, setCurrency] = useState(fee?.currency ?? localStorage.getItem(CURRENCY) ?? '');
  /** Who writes `250 €` need not choose the currency too. */
  function noteAmount(text: string) {
    setAmount(text);
    const { unit } = partsOf(text);
    const typed = SYMBOLS[unit] ?? (/^[a-z]{3}$/.test(unit) ? unit.toUpperCase() : undefined);
    if (typed !== undefined) setCurrency(typed);
  }
  return (
    <fieldset class="field field-row">
      <legend>{fieldName('fee')}</legend>
      <DecimalField
        label={t`Amount`}
        name="fee"
        value={fee ? String(fee.amount / 10 ** currencyDigits(fee.currency)) : ''}
        hint={t`0 if it is waived`}
        onValue={noteAmount}
        units={(unit) => unit in SYMBOLS || /^[a-z]{3}$/.test(unit)}
      />
      <Field
        key={currency}
        label={t`Currency`}
        name="currency"
        value={currency}
        hint={t`Such as EUR or USD`}
        check={(text) =>
          /^[A-Za-z]{3}$/.test(text.trim()) || (amount === '' && text === '')
            ? undefined
            : t`Enter its three letters.`
        }
      />
    </fieldset>
  );
}

/** Returns what a form says of a field. `seen` has what was shown. */
export function readField(
  name: ProfileFieldName,
  read: ReadField,
  seen: Partial<Profile> = {},
): ProfileChange {
  const field = PROFILE_FIELDS[name];
  const text = read(name);
  if (name === 'birthDate') return readBirthDate(read, seen);
  if (name === 'ageGroup') return {};
  if (field.kind === 'fee') return { fee: readFee(read) };
  if (text === '') return { [name]: null };
  switch (field.kind) {
    case 'flag':
      return { [name]: text === 'true' };
    case 'whole':
      return { [name]: Math.round(readDecimal(text) * (partsOf(text).unit === 'g' ? 1 : GRAMS)) };
    case 'list':
      return { [name]: listOf(text) };
    case 'code':
      return { [name]: codeOf(text) };
    default:
      return { [name]: text };
  }
}

function readFee(read: ReadField): ProfileChange['fee'] {
  const amount = read('fee');
  const currency = read('currency').toUpperCase();
  if (amount === '') return null;
  localStorage.setItem(CURRENCY, currency);
  return { amount: Math.round(readDecimal(amount) * 10 ** currencyDigits(currency)), currency };
}

function listOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}
