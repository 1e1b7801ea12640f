import { PROFILE_FIELDS } from '../domain/profile.ts';
import { isDateLike, readAge, readPartialDate, unixDate } from './dates.ts';
import { isAdopter, type Target } from './headers.ts';
import { readValue } from './profile-values.ts';
import { readSexIn, sexLettersIn } from './sex-and-breed.ts';
import { meaningOf } from './statuses.ts';
import { flagIn, folded, saysUnknown, wordIn } from './words.ts';

/** Headers that stand for something else in other files: their values have to be species. */
const AMBIGUOUS = new Set([
  'type',
  'animal',
  'kind',
  'art',
  'tipo',
  'animaltype',
  'pettype',
  'sheet',
]);
/** Headers of statuses that can also mean a place or health: neither a kennel nor Sevilla is a status. */
const AMBIGUOUS_STATUS = new Set(['stato', 'estado', 'zustand', 'stav']);
/** A longer text is a remark. */
const STATUS_MAX = 60;
/** Later than any year of birth. */
const LATER = Date.UTC(2100, 0);
/** A column of statuses or categories has few different values. */
const KINDS_MAX = 50;

const share = (values: readonly string[], isRight: (value: string) => boolean) =>
  values.length === 0 ? 1 : values.filter(isRight).length / values.length;
const isSpecies = (value: string) =>
  wordIn('species', PROFILE_FIELDS.species.words, value) !== undefined;
const hasFew = (values: readonly string[]) =>
  new Set(values).size <= Math.min(KINDS_MAX, Math.max(3, values.length / 2));

const isAge = (value: string) =>
  /^\d{1,3}(?:[.,]\d{1,2})?$/.test(value) ||
  wordIn('ageGroup', PROFILE_FIELDS.ageGroup.words, value) !== undefined ||
  readAge(value, undefined, LATER) !== undefined;

const isFlag = (value: string) => flagIn('', value) !== undefined;

const isDay = (value: string, header: string) =>
  isDateLike(value) || unixDate(value, header) !== undefined;

/** Returns whether the values of a column can be what its header says. */
export function confirms(target: Target, header: string, all: readonly string[]): boolean {
  const values = all.filter((value) => !saysUnknown(value));
  const areDates = values.length > 0 && share(values, isDateLike) > 0.5;
  const letters = sexLettersIn(values);
  const isMostly = (isRight: (value: string) => boolean) => share(values, isRight) >= 0.5;
  switch (target) {
    case 'intakeDate':
    case 'outcomeDate':
    case 'deathDate':
    case 'returnDate':
      return isMostly((value) => isDay(value, header));
    case 'gone':
    case 'here':
      return values.length > 0 && (isAdopter(header) || isMostly(isFlag));
    case 'name':
      return !areDates && isMostly((value) => /\p{L}/u.test(value));
    case 'category':
      return !areDates && hasFew(values);
    case 'species':
      return AMBIGUOUS.has(header)
        ? values.length > 0 && isMostly(isSpecies)
        : !areDates && (isMostly(isSpecies) || hasFew(values));
    case 'status':
    case 'outcomeType':
      // One that nobody knows is asked for. Without its column the dead would be available.
      if (header === 'displaylocationname') {
        return values.every((value) => meaningOf(value) !== undefined);
      }
      return AMBIGUOUS_STATUS.has(header)
        ? isMostly((value) => meaningOf(value) !== undefined)
        : !areDates && isMostly((value) => value.length <= STATUS_MAX && /\p{L}/u.test(value));
    case 'goodWithDogs':
    case 'goodWithCats':
    case 'goodWithChildren':
    case 'houseTrained':
      // ASM writes 0 for yes and 1 for no in columns called so, and others the contrary.
      if (header.startsWith('is') && values.some((value) => /^\d/.test(value))) return false;
      return isMostly((value) => readValue(target, value, false, header) !== undefined);
    case 'intakeType':
      return !areDates;
    case 'externalId':
      return (
        !areDates &&
        isMostly((value) => /\d/.test(value)) &&
        !(values.length > 0 && isMostly(isSpecies))
      );
    case 'recordType':
      return values.some((value) => /^lost$/i.test(value)) || values.length === 0;
    case 'sex':
      return isMostly((value) => readSexIn(value, letters) !== undefined);
    case 'photo':
      // It is found by its addresses.
      return false;
    case 'secondColour':
      return isMostly((value) => readValue('colours', value, false) !== undefined);
    case 'notWithDogs':
    case 'notWithCats':
    case 'notWithChildren':
      return isMostly(isFlag);
    case 'weightGrams':
      return isMostly((value) => /^\D{0,3}\d/.test(value));
    case 'age':
      return isMostly(isAge);
    case 'birthDate':
      return isMostly(
        (value) => isDay(value, header) || readPartialDate(value, LATER) !== undefined,
      );
    case 'inCareSince':
    case 'ageAt':
      return isMostly((value) => isDay(value, header));
    default:
      return isMostly((value) => readValue(target, value, false, header) !== undefined);
  }
}

/** Returns whether most of the different values of a column say what becomes of an animal. */
export function areStatuses(all: readonly string[]): boolean {
  const words = new Set(all.filter((value) => !saysUnknown(value)).map(folded));
  const known = [...words].filter(
    (word) => meaningOf(word) !== undefined && !/^\p{L}$/u.test(word),
  );
  return known.length > 0 && known.length * 2 >= words.size;
}
