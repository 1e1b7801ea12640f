import * as z from 'zod';
import {
  ADDRESS_PATTERN,
  isPublicField,
  PRIVATE_FIELDS,
  PROFILE_FIELDS,
  type ProfileField,
  type ProfileFieldName,
  PUBLIC_FIELDS,
} from '../../domain/profile.ts';
import { pii } from '../contract/pii.ts';
import {
  linesInBody,
  nameInBody,
  oneOf,
  orRequired,
  wholeNumberInBody,
} from '../contract/request-fields.ts';
import { linesOut, nameOut } from '../contract/response-fields.ts';

/** What the document says of each field. */
const DESCRIPTIONS: Readonly<Record<ProfileFieldName, string>> = {
  species: 'The kind of animal. An animal without one is not listed.',
  breed: 'The breed, or what it looks most like.',
  secondBreed: 'The other breed of a mix, if it is known.',
  mixed: 'Whether it is of several breeds.',
  sex: 'Its sex.',
  birthDate: 'When it was born, or about when: see `birthDatePrecision`. Not after today.',
  birthDatePrecision: 'How exactly the birth date is known: `day` unless said otherwise.',
  ageGroup:
    'Its age: `baby` under 1 year, `young` under 3, `adult` under 8, else `senior`. Follows from `birthDate`; can be set only where there is none.',
  size: 'How large it is or will be.',
  weightGrams: 'Its weight in grams.',
  coat: 'Its coat.',
  colours: 'Its colours, the main one first.',
  headline: 'A line that makes somebody read on.',
  description: 'Its story and character. Plain text.',
  goodWithDogs: 'Whether it gets on with dogs: `selective` with some.',
  goodWithCats: 'Whether it gets on with cats: `selective` with some.',
  goodWithChildren: 'Whether it gets on with children: `over_5` or `over_12` with older ones.',
  houseTrained: 'Whether it is house-trained.',
  neutered: 'Whether it is neutered or spayed.',
  vaccinated: 'Whether its vaccinations are up to date.',
  specialNeeds: 'Whether it needs special care.',
  specialNeedsNote: 'What it needs. Plain text.',
  energy: 'How lively it is.',
  fee: 'What it costs to adopt it.',
  inCareSince:
    'Since when it has been in care: the first day of its newest stay, which a change moves. Not after today.',
  videoUrl: 'A film of it, with `https`.',
  published: 'Whether it may be shown to the public. `GET /pets/{petId}/listing` says if it is.',
  microchip: 'The number of its microchip.',
  care: 'Where it is while it is here. Only an animal in the `shelter`, in `foster` care or without any is listed.',
  careUntil:
    'The last day of `care`. Until it is over, an animal in `quarantine`, `medical` or on `hold` cannot be adopted.',
  location: 'Its kennel or room.',
  medicalNotes: 'Notes on its health. Plain text.',
  behaviourNotes: 'Notes on its behaviour. Plain text.',
};

/** Fields that always have a value. */
const isNeverNull = (name: ProfileFieldName) => name === 'published' || name === 'inCareSince';

const NOT_KNOWN = '`null` if it is not known.';
const STAFF_ONLY = 'Only keys with the scope `write` see it.';

/** Describes a field, and what `null` means. */
function descriptionOf(name: ProfileFieldName): string {
  const text = DESCRIPTIONS[name];
  if (isNeverNull(name)) return text;
  const isPrivate = Object.hasOwn(PRIVATE_FIELDS, name);
  return `${text} ${NOT_KNOWN}${isPrivate ? ` ${STAFF_ONLY}` : ''}`;
}

const CURRENCY = /^[A-Z]{3}$/;
const FEE_MAX = 10_000_000;
const AMOUNT = 'In the minor unit of the currency, such as cents: 0 if it is waived.';
const CURRENCY_TEXT = 'The currency (ISO 4217).';

const feeInBody = z.object(
  {
    amount: wholeNumberInBody(AMOUNT, 0, FEE_MAX),
    currency: z
      .string({ error: orRequired('must be a string') })
      .regex(CURRENCY, { error: 'must be three capital letters, such as EUR' })
      .meta({ description: CURRENCY_TEXT, minLength: 3, maxLength: 3 }),
  },
  { error: 'must be an object with amount and currency' },
);

const feeOut = () =>
  z.object({
    amount: z.int().min(0).max(FEE_MAX).meta({ description: AMOUNT, format: 'int64' }),
    currency: z
      .string()
      .regex(CURRENCY)
      .meta({ description: CURRENCY_TEXT, minLength: 3, maxLength: 3 }),
  });

const DATE = 'must be a date like 2026-01-31, from 1800 on';
/** Dates before nobody's pet was born. */
const DATE_PATTERN = '^(1[89]|[2-9][0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}$';
const dateMeta = { format: 'date', minLength: 10, maxLength: 10, pattern: DATE_PATTERN } as const;
const ADDRESS = new RegExp(ADDRESS_PATTERN);

/** A calendar date in a request body. */
export function dateInBody(description: string) {
  return z.iso
    .date({ error: orRequired(DATE) })
    .regex(new RegExp(DATE_PATTERN), { error: DATE })
    .meta({ description, ...dateMeta });
}

/** A calendar date in a query. */
export function dateInQuery(description: string, example: string) {
  return dateInBody(description)
    .optional()
    .meta({ description, ...dateMeta, param: { example } });
}

/** A calendar date in a response body. */
export function dateOut(description: string) {
  return z.iso.date().meta({ description, ...dateMeta });
}

/** The schema of a field in a request body. */
export function inBody(description: string, field: ProfileField): z.ZodType {
  switch (field.kind) {
    case 'word':
      return oneOf(field.words as [string, ...string[]]).meta({ description });
    case 'line':
      return nameInBody(description, field.max);
    case 'lines':
      return linesInBody(description, field.max);
    case 'flag':
      return z.boolean({ error: 'must be true or false' }).meta({ description });
    case 'whole':
      return wholeNumberInBody(description, field.min, field.max);
    case 'list':
      return z
        .array(nameInBody('One of them.', field.max), { error: 'must be a list' })
        .min(1, { error: 'must not be empty: null if it is not known' })
        .max(field.items, { error: `must have at most ${field.items} items` })
        .meta({ description });
    case 'fee':
      return feeInBody.meta({ description });
    case 'date':
      return dateInBody(description);
    case 'address':
      return nameInBody(description, field.max)
        .regex(ADDRESS, { error: 'must be an address that starts with https://' })
        .meta({ description, pattern: ADDRESS_PATTERN });
    case 'code':
      return z
        .string({ error: 'must be a string' })
        .regex(field.pattern, { error: `must be ${field.rule}` })
        .meta({ description, minLength: field.min, maxLength: field.max });
  }
}

/** The schema of a field in a response body. */
export function inResponse(description: string, field: ProfileField): z.ZodType {
  switch (field.kind) {
    case 'word':
      return z.enum(field.words as [string, ...string[]]).meta({ description });
    case 'line':
      return nameOut(description, field.max);
    case 'lines':
      return linesOut(description, field.max);
    case 'flag':
      return z.boolean().meta({ description });
    case 'whole':
      return z.int().min(field.min).max(field.max).meta({ description, format: 'int64' });
    case 'list':
      return z.array(nameOut('One of them.', field.max)).max(field.items).meta({ description });
    case 'fee':
      return feeOut().meta({ description });
    case 'date':
      return dateOut(description);
    case 'address':
      return z
        .string()
        .meta({ description, minLength: 1, maxLength: field.max, pattern: ADDRESS_PATTERN });
    case 'code':
      return z
        .string()
        .regex(field.pattern)
        .meta({ description, minLength: field.min, maxLength: field.max });
  }
}

type Fields = Readonly<Record<string, ProfileField>>;

function shapeOf(
  fields: Fields,
  schemaOf: (name: ProfileFieldName, field: ProfileField) => z.ZodType,
) {
  // The tables of fields have these names.
  const entries = Object.entries(fields) as [ProfileFieldName, ProfileField][];
  return Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(name, field)]));
}

/** The members of a change. */
export const changeShape = shapeOf(PROFILE_FIELDS, (name, field) => {
  const description = descriptionOf(name);
  const schema = isPublicField(name) ? inBody(description, field) : pii(inBody(description, field));
  return isNeverNull(name) ? schema.optional() : schema.nullable().optional();
});

function responseShape(fields: Fields) {
  return shapeOf(fields, (name, field) => {
    const schema = inResponse(descriptionOf(name), field);
    return name === 'published' ? schema : schema.nullable();
  });
}

/** The members that everybody sees. */
export const publicShape = () => responseShape(PUBLIC_FIELDS);
/** The members that staff sees besides. */
export const privateShape = () => responseShape(PRIVATE_FIELDS);
