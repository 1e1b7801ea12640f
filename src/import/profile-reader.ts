import { PROFILE_PARTS, type ProfilePart } from '../domain/import.ts';
import { PROFILE_FIELDS, type ProfileChange, type ProfileField } from '../domain/profile.ts';
import type { ImportMapping } from './columns.ts';
import { createDateColumn, type DateColumn, readAge } from './dates.ts';
import { repairDoubleEncoding } from './double-encoding.ts';
import { createProfileColumns, type ProfileColumn } from './profile-columns.ts';
import { readValue } from './profile-values.ts';
import type { Row, RowSource } from './row-source.ts';
import { saysUnknown } from './words.ts';

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

export function createProfileReader(
  mapping: ImportMapping,
  { columns: present }: Pick<RowSource, 'columns'>,
  now: () => number,
): ProfileReader {
  const dates = new Map<ProfilePart, DateColumn>(
    DATE_PARTS.map((part) => [part, createDateColumn(now)]),
  );
  const current = createProfileColumns(mapping, present);

  function textIn(row: Row, { part, name, isExact }: ProfileColumn): string {
    const text = row.text(name);
    if (isExact) return text;
    const isText = ['line', 'lines', 'list'].includes(fieldOf(part)?.kind ?? '');
    return mapping.repairEncoding && isText ? repairDoubleEncoding(text) : text;
  }

  function dateIn(part: ProfilePart, text: string, unread: Unread): string | undefined {
    if (saysUnknown(text)) return undefined;
    const date = dates.get(part)?.read(text.trim());
    if (date === undefined) unread(part, text);
    return date;
  }

  /** Reads an age, unless the birth date is known. */
  function ageIn(row: Row, column: ProfileColumn, unread: Unread): ProfileChange | undefined {
    const text = textIn(row, column).trim();
    if (saysUnknown(text)) return {};
    const day = current().find(({ part }) => part === 'ageAt');
    return readAge(text, day && dateIn('ageAt', textIn(row, day), unread), now());
  }

  return {
    add(row) {
      for (const column of current()) {
        if (!isDate(column.part)) continue;
        const text = row.text(column.name);
        if (!saysUnknown(text)) dates.get(column.part)?.add(text.trim());
      }
    },
    read(row, unread) {
      const said: { -readonly [Name in keyof ProfileChange]: ProfileChange[Name] } = {};
      // Fields of their own come after those that tell of them too, such as mixed after breed.
      for (const column of current()) {
        const { part, isExact } = column;
        if (part === 'ageAt' || part === 'published') continue;
        if (part === 'age') {
          if (said.birthDate !== undefined) continue;
          const read = ageIn(row, column, unread);
          if (read === undefined) unread(part, textIn(row, column));
          else Object.assign(said, read);
        } else if (part === 'birthDate' || part === 'inCareSince' || part === 'careUntil') {
          const date = dateIn(part, textIn(row, column), unread);
          if (date !== undefined) said[part] = date;
        } else {
          const text = textIn(row, column);
          const read = readValue(part, text, isExact, column.name);
          if (read === undefined) unread(part, text);
          else Object.assign(said, read);
        }
      }
      if (mapping.publish && isPublished(row)) said.published = true;
      // Neither says anything beside what the birth date does.
      if (said.birthDate === undefined) delete said.birthDatePrecision;
      else delete said.ageGroup;
      return Object.keys(said).length === 0 ? undefined : said;
    },
  };

  /** A file that says which animals are published publishes no others. */
  function isPublished(row: Row): boolean {
    const column = current().find(({ part }) => part === 'published');
    return (
      column === undefined ||
      readValue('published', row.text(column.name), false)?.published === true
    );
  }
}
