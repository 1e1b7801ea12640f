import { PROFILE_PARTS, type ProfileMapping, type ProfilePart } from '../domain/import.ts';

/** A column that a part of the profile is read from. */
export interface ProfileColumn {
  readonly part: ProfilePart;
  readonly name: string;
  /** It is one of our own export, whose values are taken exactly. */
  readonly isExact: boolean;
}

/** The columns that every file of our own export has. */
const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status'];

/** The letters of headers in files of other programs, such as `Sex upon Outcome`. */
const KNOWN: { readonly [Part in ProfilePart]?: readonly string[] } = {
  species: ['species', 'animaltype'],
  breed: ['breed'],
  colours: ['color', 'colour', 'colors', 'colours'],
  sex: ['sex', 'sexuponoutcome', 'sexuponintake'],
  birthDate: ['dateofbirth', 'birthdate'],
  age: ['ageuponoutcome', 'ageuponintake'],
};
/** The column with the day of these ages. */
const AGE_DAY = 'datetime';

const lettersOf = (header: string) => header.toLowerCase().replaceAll(/[^a-z]/g, '');

/**
 * Returns the columns of a file that profiles are read from: those that the mapping names, or else those
 * of our own export, or with a known header. `present` has the number of columns with each header. It
 * grows while NDJSON is read, so each header is looked at once.
 */
export function createProfileColumns(
  mapping: ProfileMapping & { readonly onlyNamed?: boolean | undefined },
  present: ReadonlyMap<string, number>,
): () => readonly ProfileColumn[] {
  const byLetters = new Map<string, string>();
  let columns: readonly ProfileColumn[] = [];
  let seen = 0;

  /** Nobody knows which of two columns with one header is meant. */
  const isOne = (name: string) => present.get(name) === 1;
  const known = (names: readonly string[] = []) =>
    names.map((letters) => byLetters.get(letters) ?? '').find(isOne);

  function columnOf(part: ProfilePart, isOwn: boolean): ProfileColumn[] {
    const given = mapping[part];
    if (given !== undefined) return [{ part, name: given, isExact: false }];
    if (mapping.onlyNamed) return [];
    if (isOne(part)) return [{ part, name: part, isExact: isOwn }];
    const name = known(KNOWN[part]);
    return name === undefined ? [] : [{ part, name, isExact: false }];
  }

  function find(): ProfileColumn[] {
    const isOwn = OWN_COLUMNS.every((name) => present.has(name));
    const found = PROFILE_PARTS.flatMap((part) => columnOf(part, isOwn));
    const has = (part: ProfilePart) => found.some((column) => column.part === part);
    const day = known([AGE_DAY]);
    const isKnownAge = has('age') && mapping.age === undefined;
    if (isKnownAge && !has('ageAt') && day !== undefined) {
      found.push({ part: 'ageAt', name: day, isExact: false });
    }
    return found;
  }

  return () => {
    if (present.size === seen) return columns;
    for (const name of [...present.keys()].slice(seen)) {
      const letters = lettersOf(name);
      if (!byLetters.has(letters)) byLetters.set(letters, name);
    }
    seen = present.size;
    columns = find();
    return columns;
  };
}
