import type { ProfilePart } from '../domain/import.ts';
import { PROFILE_FIELDS, type ProfileChange } from '../domain/profile.ts';
import type { Row } from './row-source.ts';

/** A column, and what it says. */
interface Column {
  readonly part: ProfilePart;
  readonly name: string;
}

/**
 * Reads N in a column of yes and no, by the other letters of the column: beside T and F it is not known, and beside S an
 * animal is neutered, as S is spayed.
 */
export function createFlagLetters(columns: readonly Column[]) {
  const found = new Map<string, Set<string>>();
  for (const { part, name } of columns) {
    const isFlag = part !== 'age' && part !== 'ageAt' && PROFILE_FIELDS[part].kind === 'flag';
    if (isFlag) found.set(name, new Set());
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
    read({ part, name }: Column, text: string): ProfileChange | undefined {
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
