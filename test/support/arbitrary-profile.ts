import fc from 'fast-check';
import { linesProblem, nameProblem } from '../../src/domain/name.ts';
import {
  PROFILE_FIELD_NAMES,
  PROFILE_FIELDS,
  type ProfileChange,
  type ProfileField,
  type ProfileFieldName,
} from '../../src/domain/profile.ts';

/** Texts that are hard to read back: with signs, blanks, and words that mean something elsewhere. */
const hardText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('Unknown', 'N/A', 'Lab Mix', 'Lab/Poodle', ' Lab ', '[Lab]', '["Lab"]', '=1+1'),
  fc.constantFrom('a,b;c\td', '"', 'a & b', 'Black/Tan Hound', 'x', '-', 'padmÃ©', '0'),
);

/** Any date from 1800 on that is not in the future. */
const date = fc
  .date({ min: new Date('1800-01-01'), max: new Date('2026-11-01'), noInvalidDate: true })
  .map((time) => time.toISOString().slice(0, 10));

function anyOf(name: ProfileFieldName, field: ProfileField): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'word':
      return fc.constantFrom(...field.words);
    case 'line':
      return hardText.filter((text) => nameProblem(text, field.max) === undefined);
    case 'lines':
      return fc
        .oneof(hardText, fc.constantFrom('a\r\nb', '\rc\n', ' \n\td'))
        .filter((text) => linesProblem(text, field.max) === undefined);
    case 'flag':
      return fc.boolean();
    case 'date':
      return date;
    case 'whole':
      return fc.integer({ min: field.min, max: field.max });
    case 'list':
      return fc.array(
        hardText.filter((text) => nameProblem(text, field.max) === undefined),
        { minLength: 1, maxLength: field.items },
      );
    case 'fee':
      return fc.record({
        amount: fc.integer({ min: 0, max: 10_000_000 }),
        currency: fc.oneof(
          fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'),
          fc.stringMatching(/^[A-Z]{3}$/),
        ),
      });
    case 'address':
      return fc.webUrl({ validSchemes: ['https'], withQueryParameters: true });
    case 'code':
      return fc.stringMatching(new RegExp(field.pattern));
    default:
      throw new Error(`no values for ${name}`);
  }
}

/** Any change that makes a profile of an animal of which nothing is known. */
export const arbitraryProfile: fc.Arbitrary<ProfileChange> = fc
  .record(
    Object.fromEntries(
      PROFILE_FIELD_NAMES.map((name) => [name, anyOf(name, PROFILE_FIELDS[name])]),
    ),
    { requiredKeys: [] },
  )
  .map(({ birthDate, birthDatePrecision, ageGroup, ...others }): ProfileChange => {
    const age = birthDate === undefined ? { ageGroup } : { birthDate, birthDatePrecision };
    const given = Object.entries({ ...others, ...age }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  });
