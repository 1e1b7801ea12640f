import { PROFILE_PARTS, type ProfilePart } from '../domain/import.ts';
import { PROFILE_FIELDS, type ProfileChange, type ProfileField } from '../domain/profile.ts';
import type { ImportMapping } from './columns.ts';
import {
  ageUnitOf,
  createDateColumn,
  type DateColumn,
  isZeroDate,
  readAge,
  readPartialDate,
  ZERO_DATES,
} from './dates.ts';
import { repairDoubleEncoding } from './double-encoding.ts';
import { plainText } from './html-text.ts';
import { readValue } from './profile-values.ts';
import type { Row } from './row-source.ts';
import { readSexIn, type SexLetters, sexLettersIn } from './sex-and-breed.ts';
import { flagIn, saysUnknown, wordIn } from './words.ts';

/** A column that a part of the profile is read from. */
export interface ProfileColumn {
  readonly part: ProfilePart;
  readonly name: string;
  /** It is one of our own export, whose values are taken exactly. */
  readonly isExact: boolean;
  /** It says yes where the animal does not get along, as `NoDogs`, and nothing else. */
  readonly isNot?: boolean;
}

/** Gets a value that fits nothing. */
export type Unread = (part: ProfilePart, text: string) => void;

/** Reads what rows say of profiles. Nothing in them rejects a row. */
export interface ProfileReader {
  /** Takes a row into account before any is read: the form of its dates shows in all of them. */
  add(row: Row): void;
  /** Returns what a row says; undefined if it says nothing. */
  read(row: Row, unread: Unread): ProfileChange | undefined;
}

const fieldOf = (part: ProfilePart): ProfileField | undefined =>
  part === 'age' || part === 'ageAt' ? undefined : PROFILE_FIELDS[part];
const isDate = (part: ProfilePart) => part === 'ageAt' || fieldOf(part)?.kind === 'date';
const DATE_PARTS = PROFILE_PARTS.filter(isDate);
const TEXT_KINDS = ['line', 'lines', 'list'];

function dateColumns(columns: readonly ProfileColumn[], now: () => number, orders: Set<RegExp>) {
  const headerOf = (part: ProfilePart) => columns.find((column) => column.part === part)?.name;
  return new Map<ProfilePart, DateColumn>(
    DATE_PARTS.map((part) => [part, createDateColumn(now, headerOf(part), orders)]),
  );
}

export function createProfileReader(
  mapping: ImportMapping,
  columns: readonly ProfileColumn[],
  now: () => number,
  orders: Set<RegExp>,
): ProfileReader {
  const dates = dateColumns(columns, now, orders);
  /** The units that the words of the age column name. */
  const ageUnits = new Set<string>();
  const sexes = createSexColumn(columns.find(({ part }) => part === 'sex'));
  const letters = createFlagLetters(columns.filter(({ isExact }) => !isExact));
  const ageColumn = columns.find(({ part }) => part === 'age');
  const dayColumn = columns.find(({ part }) => part === 'ageAt');

  function textIn(row: Row, { part, name, isExact }: ProfileColumn): string {
    const text = row.text(name);
    if (isExact || !TEXT_KINDS.includes(fieldOf(part)?.kind ?? '')) return text;
    return plainText(mapping.repairEncoding ? repairDoubleEncoding(text) : text);
  }

  function dateIn(part: ProfilePart, text: string, unread: Unread): string | undefined {
    if (saysUnknown(text)) return undefined;
    const date = dates.get(part)?.read(text.trim());
    if (date === undefined && !isZeroDate(text.trim())) unread(part, text);
    return date;
  }

  /** Reads an age, unless the birth date is known. */
  function ageIn(row: Row, column: ProfileColumn, unread: Unread): ProfileChange | undefined {
    const text = textIn(row, column).trim();
    if (saysUnknown(text)) return {};
    const group = wordIn('ageGroup', PROFILE_FIELDS.ageGroup.words, text);
    // The type is that of the words.
    if (group !== undefined) return { ageGroup: group as 'adult' };
    const day = dayColumn && dateIn('ageAt', textIn(row, dayColumn), unread);
    return readAge(text, day, now(), ageUnitOf(column.name, ageUnits));
  }

  function partIn(row: Row, column: ProfileColumn, unread: Unread): ProfileChange | undefined {
    const { part, isExact, name } = column;
    const text = textIn(row, column);
    if (part === 'birthDate' || part === 'inCareSince' || part === 'careUntil') {
      const partial = part === 'birthDate' ? readPartialDate(text, now()) : undefined;
      if (partial !== undefined) return partial;
      // A day that stands for none in other files is one in our own export.
      const date = isExact && ZERO_DATES.has(text) ? text : dateIn(part, text, unread);
      return date === undefined ? {} : { [part]: date };
    }
    if (column.isNot) return readNot(part, text);
    if (part === 'sex' && !isExact && !saysUnknown(text)) return sexes.read(text.trim());
    if (part === 'age') return ageIn(row, column, unread);
    if (part === 'ageAt' || part === 'published') return {};
    const meant = letters.read(column, text.trim());
    if (meant !== undefined) return meant;
    if (part === 'weightGrams' && !isExact && mapping.weightUnit !== undefined) {
      return readValue(part, text, isExact, mapping.weightUnit);
    }
    return readValue(part, text, isExact, name);
  }

  return {
    add(row) {
      sexes.add(row);
      letters.add(row);
      if (ageColumn) addUnits(ageUnits, row.text(ageColumn.name));
      for (const { part, name } of columns) {
        if (!isDate(part)) continue;
        const text = row.text(name);
        if (!saysUnknown(text)) dates.get(part)?.add(text.trim());
      }
    },
    read(row, unread) {
      const said: Said = {};
      // Fields of their own come after those that tell of them too, such as mixed after breed.
      for (const column of columns) {
        if (column.part === 'age' && said.birthDate !== undefined) continue;
        const read = partIn(row, column, unread);
        if (read === undefined) unread(column.part, row.text(column.name));
        else addTo(said, read);
      }
      if (mapping.publish && isPublished(row, columns)) said.published = true;
      return tidied(said, columns);
    },
  };
}

/** Notes the words of an age. */
function addUnits(units: Set<string>, text: string): void {
  for (const unit of text.slice(0, 100).match(/\p{L}+/gu) ?? []) {
    if (units.size < 50) units.add(unit.toLowerCase());
  }
}

type Said = { -readonly [Name in keyof ProfileChange]: ProfileChange[Name] };

/** Adds what another column says. The second colour can have one of its own. */
function addTo(said: Said, read: ProfileChange): void {
  const before = said.colours ?? [];
  const more = (read.colours ?? []).filter((colour) => !before.includes(colour));
  Object.assign(said, read);
  const colours = [...before, ...more];
  if (colours.length > 0) said.colours = colours.slice(0, COLOURS_MAX);
}

/** Returns what is said without what says nothing beside something else; undefined for nothing. */
function tidied(said: Said, columns: readonly ProfileColumn[]): ProfileChange | undefined {
  if (said.secondBreed === said.breed && !isOfExport(columns)) delete said.secondBreed;
  if (said.birthDate === undefined) delete said.birthDatePrecision;
  else delete said.ageGroup;
  return Object.keys(said).length === 0 ? undefined : said;
}

/** Values of a column of sexes that tell what its letters say. */
const SEXES_MAX = 20;

function createSexColumn(column: ProfileColumn | undefined) {
  const values = new Set<string>();
  let letters: SexLetters | undefined;
  return {
    add(row: Row): void {
      if (column && values.size < SEXES_MAX) values.add(row.text(column.name).slice(0, 20).trim());
    },
    read(text: string): ProfileChange | undefined {
      letters ??= sexLettersIn(values);
      return readSexIn(text, letters);
    },
  };
}

/** Reads a column of what an animal does not get along with: no says nothing. */
function readNot(part: ProfilePart, text: string): ProfileChange | undefined {
  const isNot = saysUnknown(text) ? false : flagIn(part, text);
  if (isNot === undefined) return undefined;
  return isNot ? { [part]: 'no' } : {};
}

const COLOURS_MAX = PROFILE_FIELDS.colours.items;

/** Returns whether the file is our own export: other systems write a breed twice. */
function isOfExport(columns: readonly ProfileColumn[]): boolean {
  return columns.some(({ part, isExact }) => part === 'secondBreed' && isExact);
}

/** A file that says which animals are published publishes no others. */
function isPublished(row: Row, columns: readonly ProfileColumn[]): boolean {
  const column = columns.find(({ part }) => part === 'published');
  return (
    column === undefined || readValue('published', row.text(column.name), false)?.published === true
  );
}

/**
 * Reads N in a column of yes and no by its other letters: beside T and F it means not known, and beside S (spayed)
 * it means neutered.
 */
function createFlagLetters(columns: readonly ProfileColumn[]) {
  const found = new Map<string, Set<string>>();
  for (const { part, name } of columns) {
    if (fieldOf(part)?.kind === 'flag') found.set(name, new Set());
  }
  return {
    /** Takes a row into account before any is read. */
    add(row: Row): void {
      for (const [name, letters] of found) {
        const text = row.text(name).trim().toUpperCase();
        if (text.length === 1) letters.add(text);
      }
    },
    /** Undefined for what means yes or no. */
    read({ part, name }: ProfileColumn, text: string): ProfileChange | undefined {
      const letter = text.toUpperCase();
      const letters = found.get(name);
      if (letters === undefined || (letter !== 'N' && letter !== 'S')) return undefined;
      if (part === 'neutered' && letters.has('S')) {
        return letters.has('Y') ? undefined : { neutered: true };
      }
      return letter === 'N' && (letters.has('T') || letters.has('F')) ? {} : undefined;
    },
  };
}
