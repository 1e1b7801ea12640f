import { PROFILE_PARTS, type ProfilePart, type StayPart } from '../domain/import.ts';
import { find, openSearch, type Sample, type Search, type Taken, take } from './column-search.ts';
import type { ImportMapping } from './columns.ts';
import { areStatuses, confirms } from './confirm.ts';
import { AGE_DAY, HEADERS, isAdopter, lastStep, lettersOf, type Target } from './headers.ts';
import { photoColumnsAmong } from './photo-addresses.ts';
import type { ProfileColumn } from './profile-reader.ts';

/** The columns that rows are read as stays from. */
export type StayColumns = {
  readonly [T in
    | 'intakeDate'
    | 'intakeType'
    | 'outcomeDate'
    | 'outcomeType'
    | 'deathDate'
    | 'returnDate'
    | 'recordType']?: string | undefined;
} & {
  /** Columns that say with yes that the animal is gone, or with no that it is not to be had. */
  readonly flags?:
    | readonly { readonly target: 'gone' | 'here'; readonly name: string }[]
    | undefined;
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

const STAYS = [
  ...['intakeDate', 'intakeType', 'outcomeDate', 'outcomeType', 'deathDate', 'returnDate'],
  'recordType',
] as const;

/**
 * Finds out what the columns of a file are: from what flags and parameters say, else from their headers, if
 * the values agree. `columns` has the number of columns with each header.
 */
export function recognise(
  given: ImportMapping,
  columns: ReadonlyMap<string, number>,
  sample: Sample,
): Recognition {
  const search = openSearch(given, columns, sample);
  const externalId = settle(search, 'externalId', 'external_id');
  const name = settle(search, 'name', 'name');
  const category = settleCategory(search);
  const stays = stayColumns(search);
  const status = settle(search, 'status', 'status') ?? statusByValues(search, stays);
  const hasStatus = status !== undefined || stays.outcomeType !== undefined;
  stays.flags = flagsIn(search, hasStatus);
  const profile = PROFILE_PARTS.flatMap((part) => profileColumn(search, part, stays));
  addAgeDay(search, profile, stays);
  const photos = photoColumns(search);
  const parents = new Set([...columns.keys()].flatMap(parentsOf));
  const isUnused = (one: string) => !search.used.has(one) && !parents.has(one) && one !== '';
  const mapping: ImportMapping = {
    ...given,
    ...(search.isOwn && { isOwn: true }),
    ...(externalId !== 'external_id' && { externalId }),
    // Only our own form has exact names beside ids of categories.
    ...((name !== 'name' || category.category !== undefined) && { name }),
    ...(status !== 'status' && { status }),
    ...category,
  };
  const unused = [...columns.keys()].filter(isUnused);
  return { mapping, profile, stays, photos, taken: search.taken, unused };
}

/** The column that a flag names, our own, or one that is recognised. */
function settle(
  search: Search,
  target: 'externalId' | 'name' | 'status',
  own: string,
): string | undefined {
  const named = search.given[target];
  if (named !== undefined) {
    take(search, target, named, true);
    return named;
  }
  const hasOwn = search.columns.get(own) === 1;
  const column = hasOwn ? own : search.isOpen ? find(search, target) : undefined;
  if (column !== undefined) take(search, target, column);
  return column;
}

function settleCategory(search: Search): Pick<ImportMapping, 'category'> {
  const { given, columns, isOpen } = search;
  if (given.categoryIs !== undefined) return {};
  if (given.category !== undefined) {
    take(search, 'category', given.category, true);
    return {};
  }
  const id = given.categoryId ?? (columns.get('categoryId') === 1 ? 'categoryId' : undefined);
  if (id !== undefined) {
    take(search, 'categoryId', id, given.categoryId !== undefined);
    if (search.isOwn) {
      for (const part of ['category', 'stays'] as const) {
        if (columns.get(part) === 1) take(search, part, part);
      }
    }
    return {};
  }
  const column = isOpen ? (find(search, 'category') ?? find(search, 'species', true)) : undefined;
  if (column === undefined) return {};
  take(search, 'category', column);
  return { category: column };
}

type FoundStays = { -readonly [T in keyof StayColumns]: StayColumns[T] };

function stayColumns(search: Search): FoundStays {
  const stays: FoundStays = {};
  const { status, inCareSince, onlyNamed } = search.given;
  // Who names all columns, and none for statuses, wants no statuses.
  for (const target of STAYS) {
    const named = target in search.given ? search.given[target as StayPart] : undefined;
    if (named === undefined) continue;
    stays[target] = named;
    take(search, target, named, true);
  }
  if (search.isOwn) return stays;
  for (const target of STAYS) {
    if (stays[target] !== undefined) continue;
    if (onlyNamed && status === undefined && !SURELY_GONE.has(target)) continue;
    const column = find(search, target, true);
    // The column of the status may be that of the outcomes.
    const isStatus = column === status && target === 'outcomeType';
    const isArrival = column === inCareSince && target === 'intakeDate';
    if (onlyNamed && target === 'outcomeType' && !isStatus) continue;
    if (column === undefined || (search.used.has(column) && !isStatus && !isArrival)) continue;
    stays[target] = column;
    if (!isStatus && !isArrival) take(search, target, column);
  }
  return stays;
}

/** Columns that count even for who names all columns: nobody may offer a dead animal, or one of a family that looks for it. */
const SURELY_GONE: ReadonlySet<string> = new Set(['deathDate', 'recordType']);

/** Nobody may offer an animal that a column of yes and no calls adopted. */
function flagsIn(search: Search, hasStatus: boolean): StayColumns['flags'] {
  if (search.isOwn) return [];
  return (['gone', 'here'] as const).flatMap((target) =>
    Object.keys(HEADERS[target]).flatMap((header) => {
      const name = search.byLetters.get(header);
      if (name === undefined || search.used.has(name)) return [];
      // With a status the one who adopts may still be waiting.
      if (hasStatus && isAdopter(header)) return [];
      if (!confirms(target, header, search.sample.get(name) ?? [])) return [];
      take(search, target, name);
      return [{ target, name }];
    }),
  );
}

/** Nobody may publish a dead animal because its column has a header of its own. */
function statusByValues(search: Search, stays: FoundStays): string | undefined {
  const { given, columns, used, sample, isOpen } = search;
  if (!isOpen || given.statusMap !== undefined || stays.outcomeType !== undefined) return undefined;
  // A kennel can be called as a status is, such as Foster.
  const isStatus = (one: string) =>
    !used.has(one) && !(lettersOf(one) in HEADERS.location) && areStatuses(sample.get(one) ?? []);
  const column = [...columns.keys()].find(isStatus);
  if (column !== undefined) take(search, 'status', column);
  return column;
}

function profileColumn(search: Search, part: ProfilePart, stays: FoundStays): ProfileColumn[] {
  const { given, columns, used, isOwn, isOpen, taken } = search;
  const named = given[part];
  if (named !== undefined) {
    take(search, part, named, true);
    const isNot = NEGATED.has(lettersOf(named));
    return [{ part, name: named, isExact: false, isNot }, ...secondColours(search, part, named)];
  }
  if (given.onlyNamed) return [];
  if (columns.get(part) === 1 && (!used.has(part) || isOwn)) {
    take(search, part, part);
    return [{ part, name: part, isExact: isOwn }];
  }
  if (!isOpen) return [];
  // The day of arrival is that of the stay.
  if (part === 'inCareSince' && stays.intakeDate !== undefined) {
    return [{ part, name: stays.intakeDate, isExact: false }];
  }
  // The category can tell the species too.
  const negated = NOT_WITH[part];
  const not = negated && find(search, negated);
  if (not !== undefined) {
    take(search, part, not);
    return [{ part, name: not, isExact: false, isNot: true }];
  }
  const column = find(search, part, part === 'species');
  const isCategory = taken.some((one) => one.target === 'category' && one.column === column);
  if (column === undefined || (used.has(column) && !isCategory)) return [];
  take(search, part, column);
  return [{ part, name: column, isExact: false }, ...secondColours(search, part, column)];
}

/** Columns that say with what an animal does not get along. */
const NOT_WITH: { readonly [Part in ProfilePart]?: Target } = {
  goodWithDogs: 'notWithDogs',
  goodWithCats: 'notWithCats',
  goodWithChildren: 'notWithChildren',
};
const NEGATED = new Set(Object.values(NOT_WITH).flatMap((target) => Object.keys(HEADERS[target])));

/** The columns of other colours beside that of the first one, if both are called so. */
function secondColours(search: Search, part: ProfilePart, first: string): ProfileColumn[] {
  const letters = lettersOf(lastStep(first));
  if (part !== 'colours' || !(letters in HEADERS.colours)) return [];
  const found: ProfileColumn[] = [];
  for (const header of Object.keys(HEADERS.secondColour)) {
    const column = search.byLetters.get(header);
    if (column === undefined || search.used.has(column)) continue;
    if (!confirms('secondColour', header, search.sample.get(column) ?? [])) continue;
    take(search, part, column);
    found.push({ part, name: column, isExact: false });
  }
  return found;
}

/** `DateTime` is the day of `Age upon Outcome`, which is that of the outcome. */
function addAgeDay(search: Search, profile: ProfileColumn[], stays: FoundStays): void {
  const day = search.byLetters.get(AGE_DAY);
  const age = search.taken.find(({ target, given }) => target === 'age' && !given);
  const isUpon = age !== undefined && /^ageupon/.test(lettersOf(age.column));
  if (day === undefined || !isUpon || profile.some(({ part }) => part === 'ageAt')) return;
  profile.push({ part: 'ageAt', name: day, isExact: false });
  if (search.used.has(day)) return;
  take(search, 'ageAt', day);
  const stay = /outcome/.test(lettersOf(age.column)) ? 'outcomeDate' : 'intakeDate';
  if (stays[stay] !== undefined) return;
  stays[stay] = day;
  take(search, stay, day);
}

function photoColumns(search: Search): readonly string[] {
  const { columns, used, sample, isOwn } = search;
  const open = isOwn ? [] : [...columns.keys()].filter((column) => !used.has(column));
  const found = photoColumnsAmong(open, sample);
  for (const column of found) take(search, 'photo', column);
  return found;
}

/** `a` and `a.b` hold `a.b.c`. */
function parentsOf(column: string): string[] {
  const steps = column.split('.');
  return steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'));
}
