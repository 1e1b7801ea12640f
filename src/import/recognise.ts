import { PROFILE_PARTS, type ProfilePart } from '../domain/import.ts';
import { PROFILE_FIELDS } from '../domain/profile.ts';
import type { ImportMapping } from './columns.ts';
import { isDateLike, readAge } from './dates.ts';
import { AGE_DAY, HEADERS, lettersOf, type Target } from './headers.ts';
import { isPhotoList } from './photo-addresses.ts';
import type { ProfileColumn } from './profile-reader.ts';
import { readValue } from './profile-values.ts';
import { meaningOf } from './statuses.ts';
import { folded, saysUnknown, wordIn } from './words.ts';

/** What a column was taken for. */
export interface Taken {
  readonly target: Target | 'categoryId';
  readonly column: string;
  /** A flag or parameter named it. */
  readonly given: boolean;
}

/** The columns that rows are read as stays from. */
export type StayColumns = {
  readonly [T in
    | 'intakeDate'
    | 'intakeType'
    | 'outcomeDate'
    | 'outcomeType'
    | 'deathDate'
    | 'recordType']?: string | undefined;
};

/** What the columns of a file are. */
export interface Recognition {
  /** With the columns that were found. */
  readonly mapping: ImportMapping;
  readonly profile: readonly ProfileColumn[];
  readonly stays: StayColumns;
  readonly photos: readonly string[];
  readonly taken: readonly Taken[];
  /** Columns that say nothing here. */
  readonly unused: readonly string[];
}

/** The first values of each column that are not empty. */
export type Sample = ReadonlyMap<string, readonly string[]>;

/** Headers that stand for something else in other files: their values have to be species. */
const AMBIGUOUS = new Set(['type', 'animal', 'kind', 'art', 'tipo', 'animaltype', 'pettype']);
/** Later than any year of birth. */
const LATER = Date.UTC(2100, 0);
/** A column of statuses or categories has few different values. */
const KINDS_MAX = 50;
const STAYS = [
  ...['intakeDate', 'intakeType', 'outcomeDate', 'outcomeType', 'deathDate', 'recordType'],
] as const as readonly (keyof StayColumns & Target)[];
/** The columns that every file of our own export has. */
const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status'];

const share = (values: readonly string[], isRight: (value: string) => boolean) =>
  values.length === 0 ? 1 : values.filter(isRight).length / values.length;
const isSpecies = (value: string) =>
  wordIn('species', PROFILE_FIELDS.species.words, value) !== undefined;
const hasFew = (values: readonly string[]) =>
  new Set(values).size <= Math.min(KINDS_MAX, Math.max(3, values.length / 2));

/** Returns whether the values of a column can be what its header says. */
function confirms(target: Target, header: string, all: readonly string[]): boolean {
  const values = all.filter((value) => !saysUnknown(value));
  const areDates = values.length > 0 && share(values, isDateLike) > 0.5;
  const isMostly = (isRight: (value: string) => boolean) => share(values, isRight) >= 0.5;
  switch (target) {
    case 'intakeDate':
    case 'outcomeDate':
    case 'deathDate':
      return isMostly(isDateLike);
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
      return !areDates && (isMostly((value) => meaningOf(value) !== undefined) || hasFew(values));
    case 'intakeType':
      return !areDates;
    case 'externalId':
      return !areDates && isMostly((value) => /\d/.test(value)) && share(values, isSpecies) < 0.5;
    case 'recordType':
      return values.some((value) => /^lost$/i.test(value)) || values.length === 0;
    case 'photo':
      return values.length > 0 && isMostly(isPhotoList);
    case 'weightGrams':
      return isMostly((value) => /^\D{0,3}\d/.test(value));
    case 'age':
      return isMostly(
        (value) => /^\d{1,3}$/.test(value) || readAge(value, undefined, LATER) !== undefined,
      );
    case 'birthDate':
    case 'inCareSince':
    case 'ageAt':
      return isMostly(isDateLike);
    default:
      return isMostly((value) => readValue(target, value, false, header) !== undefined);
  }
}

/**
 * Finds out what the columns of a file are: from what flags and parameters say, else from their headers, if
 * the values agree. `columns` has the number of columns with each header.
 */
export function recognise(
  given: ImportMapping,
  columns: ReadonlyMap<string, number>,
  sample: Sample,
): Recognition {
  const isOwn = OWN_COLUMNS.every((name) => columns.has(name));
  const taken: Taken[] = [];
  const used = new Set<string>();
  const take = (target: Taken['target'], column: string, isGiven: boolean) => {
    taken.push({ target, column, given: isGiven });
    used.add(column);
  };
  const byPath = new Set([...columns.keys()].flatMap((name) => parentsOf(name)));
  const byLetters = new Map<string, string>();
  for (const [name, times] of columns) {
    // Nobody knows which of two columns with one header is meant.
    if (times > 1) continue;
    for (const letters of [lettersOf(name), lettersOf(lastStep(name))]) {
      if (!byLetters.has(letters)) byLetters.set(letters, name);
    }
  }

  function find(target: Target, isShared = false): string | undefined {
    for (const header of Object.keys(HEADERS[target])) {
      const column = byLetters.get(header);
      if (column === undefined || (!isShared && used.has(column))) continue;
      if (confirms(target, header, sample.get(column) ?? [])) return column;
    }
    return undefined;
  }
  /** The column that a flag names, our own, or one that is recognised. */
  function settle(target: Target & keyof ImportMapping, own: string): string | undefined {
    const named = given[target];
    if (typeof named === 'string') {
      take(target, named, true);
      return named;
    }
    const isTold = isOwn || given.onlyNamed;
    const column = columns.get(own) === 1 ? own : isTold ? undefined : find(target);
    if (column !== undefined) take(target, column, false);
    return column;
  }

  for (const part of PROFILE_PARTS) {
    const named = given[part];
    if (named !== undefined) used.add(named);
  }
  for (const named of [given.category, given.categoryId, given.status]) {
    if (named !== undefined) used.add(named);
  }
  const externalId = settle('externalId', 'external_id');
  const name = settle('name', 'name');
  const category = settleCategory();
  const stays: { -readonly [T in keyof StayColumns]: string } = {};
  if (!isOwn && !given.onlyNamed) {
    for (const target of STAYS) {
      const column = find(target, true);
      if (column === undefined || (column === given.status && target !== 'outcomeType')) continue;
      if (used.has(column) && column !== given.status) continue;
      stays[target] = column;
      take(target, column, false);
    }
  }
  const status = settle('status', 'status') ?? statusByValues();
  const mapping: ImportMapping = {
    ...given,
    ...(externalId !== 'external_id' && { externalId }),
    ...(name !== 'name' && { name }),
    ...(status !== 'status' && { status }),
    ...category,
  };
  const profile = PROFILE_PARTS.flatMap((part) => profileColumn(part));
  addAgeDay();
  const photos = isOwn ? [] : photoColumns();
  const unused = [...columns.keys()].filter((one) => {
    const isParent = byPath.has(one);
    return !used.has(one) && !isParent && one !== '';
  });
  return { mapping, profile, stays, photos, taken, unused };

  function settleCategory(): Pick<ImportMapping, 'category' | 'categoryId'> {
    if (given.categoryIs !== undefined) return {};
    if (given.category !== undefined) {
      take('category', given.category, true);
      return {};
    }
    if (given.categoryId !== undefined || columns.get('categoryId') === 1) {
      take('categoryId', given.categoryId ?? 'categoryId', given.categoryId !== undefined);
      return {};
    }
    const column = given.onlyNamed ? undefined : (find('category') ?? find('species', true));
    if (column === undefined) return {};
    take('category', column, false);
    return { category: column };
  }

  function profileColumn(part: ProfilePart): ProfileColumn[] {
    const named = given[part];
    if (named !== undefined) {
      take(part, named, true);
      return [{ part, name: named, isExact: false }];
    }
    if (given.onlyNamed) return [];
    if (columns.get(part) === 1 && (!used.has(part) || isOwn)) {
      take(part, part, false);
      return [{ part, name: part, isExact: isOwn }];
    }
    // The category can tell the species too, and the day of arrival is that of the stay.
    if (part === 'inCareSince' && stays.intakeDate !== undefined) {
      return [{ part, name: stays.intakeDate, isExact: false }];
    }
    if (isOwn) return [];
    const column = find(part, part === 'species');
    const isFree = column !== undefined && (!used.has(column) || isCategory(column));
    if (!isFree) return [];
    take(part, column, false);
    return [{ part, name: column, isExact: false }];
  }

  /** Nobody may publish a dead animal because its column has a header of its own. */
  function statusByValues(): string | undefined {
    if (
      isOwn ||
      given.onlyNamed ||
      given.statusMap !== undefined ||
      stays.outcomeType !== undefined
    )
      return;
    const isStatus = (column: string) => {
      const values = (sample.get(column) ?? []).filter((value) => !saysUnknown(value));
      const words = new Set(values.map(folded));
      const known = [...words].filter(
        (word) => meaningOf(word) !== undefined && !/^\p{L}$/u.test(word),
      );
      return known.length > 0 && known.length * 2 >= words.size;
    };
    const column = [...columns.keys()].find((one) => !used.has(one) && isStatus(one));
    if (column !== undefined) take('status', column, false);
    return column;
  }

  function isCategory(column: string): boolean {
    return taken.some((one) => one.target === 'category' && one.column === column);
  }
  function has(part: ProfilePart): boolean {
    return taken.some(({ target }) => target === part);
  }

  function addAgeDay(): void {
    const day = byLetters.get(AGE_DAY);
    const age = taken.find(({ target, given: isGiven }) => target === 'age' && !isGiven);
    const isUpon = age !== undefined && /^ageupon/.test(lettersOf(age.column));
    if (day === undefined || !isUpon || has('ageAt')) return;
    profile.push({ part: 'ageAt', name: day, isExact: false });
    if (!used.has(day)) {
      const stay = /outcome/.test(lettersOf(age.column)) ? 'outcomeDate' : 'intakeDate';
      take('ageAt', day, false);
      if (stays[stay] === undefined) {
        stays[stay] = day;
        take(stay, day, false);
      }
    }
  }

  function photoColumns(): string[] {
    if (given.onlyNamed) return [];
    const found = [...columns.keys()].filter((column) => {
      const letters = lettersOf(column).replace(/\d+$/, '');
      const isOne =
        /^(?:photos?|photourls?|images?|imageurls?|pic|picture|animalimage|websiteimageurl|foto)$/;
      return isOne.test(letters) && !used.has(column);
    });
    const right = found.filter((column) => confirms('photo', '', sample.get(column) ?? []));
    for (const column of right) take('photo', column, false);
    return right;
  }
}

/** `a` and `a.b` hold `a.b.c`. */
function parentsOf(column: string): string[] {
  const steps = column.split('.');
  return steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'));
}

/** `attributes.name` is a name; only for the wrappers that hold a whole animal. */
function lastStep(column: string): string {
  return /^(?:attributes|animal|pet|fields)\./.test(column)
    ? column.replace(/^[^.]*\./, '')
    : column;
}
