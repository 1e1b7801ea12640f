import { PROFILE_PARTS, STAY_PARTS } from '../domain/import.ts';
import type { ImportMapping } from './columns.ts';
import { confirms } from './confirm.ts';
import {
  HEADERS,
  lastStep,
  lettersOf,
  type Target,
  withoutAnimal,
  withoutForm,
} from './headers.ts';

/** What a column was taken for. */
export interface Taken {
  readonly target: Target | 'categoryId' | 'stays';
  readonly column: string;
  /** A flag or parameter named it. */
  readonly given: boolean;
}

/** The first values of each column that are not empty. */
export type Sample = ReadonlyMap<string, readonly string[]>;

/** The columns that every file of our own export has. */
const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status'];
const FORMLESS = [withoutForm, withoutAnimal];

/** The columns of a file while it is found out what they are. */
export interface Search {
  readonly given: ImportMapping;
  /** The file is an export of our own. */
  readonly isOwn: boolean;
  readonly columns: ReadonlyMap<string, number>;
  readonly sample: Sample;
  readonly taken: Taken[];
  readonly used: Set<string>;
  readonly byLetters: ReadonlyMap<string, string>;
  /** Columns are recognised. Otherwise only those count that are named, or called as ours. */
  readonly isOpen: boolean;
}

/** Begins to find out what the columns of a file are. */
export function openSearch(
  given: ImportMapping,
  columns: ReadonlyMap<string, number>,
  sample: Sample,
): Search {
  const byLetters = new Map<string, string>();
  // Nobody knows which of two columns with one header is meant.
  const single = [...columns].flatMap(([name, times]) => (times === 1 ? [name] : []));
  for (const lettersIn of [lettersOf, (name: string) => lettersOf(lastStep(name)), ...FORMLESS]) {
    for (const name of single) {
      const letters = lettersIn(name);
      if (letters !== '' && !byLetters.has(letters)) byLetters.set(letters, name);
    }
  }
  const named = [
    ...[...PROFILE_PARTS, ...STAY_PARTS].map((part) => given[part]),
    ...[given.category, given.categoryId, given.status],
  ];
  const used = new Set(named.flatMap((column) => column ?? []));
  const isOwn = OWN_COLUMNS.every((name) => columns.has(name));
  const isOpen = !isOwn && given.onlyNamed !== true;
  return { given, isOwn, columns, sample, taken: [], used, byLetters, isOpen };
}

/** Notes what a column was taken for. */
export function take(search: Search, target: Taken['target'], column: string, given = false): void {
  search.taken.push({ target, column, given });
  search.used.add(column);
}

/** Finds a column by its header. A shared one may be something else too. */
export function find(search: Search, target: Target, isShared = false): string | undefined {
  for (const header of Object.keys(HEADERS[target])) {
    const column = search.byLetters.get(header);
    if (column === undefined || (!isShared && search.used.has(column))) continue;
    if (confirms(target, header, search.sample.get(column) ?? [])) return column;
  }
  return undefined;
}
