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
 * of our own export, or with a known header. `present` has the number of columns with each header.
 */
export function profileColumns(
  mapping: ProfileMapping & { readonly onlyNamed?: boolean | undefined },
  present: ReadonlyMap<string, number>,
): ProfileColumn[] {
  const isOwn = OWN_COLUMNS.every((name) => present.has(name));
  // Nobody knows which of two columns with one header is meant.
  const headers = [...present].flatMap(([name, times]) => (times === 1 ? name : []));
  const known = (names: readonly string[] = []) =>
    headers.find((header) => names.includes(lettersOf(header)));
  const columns = PROFILE_PARTS.flatMap((part): ProfileColumn[] => {
    const given = mapping[part];
    if (given !== undefined) return [{ part, name: given, isExact: false }];
    if (mapping.onlyNamed) return [];
    if (headers.includes(part)) return [{ part, name: part, isExact: isOwn }];
    const name = known(KNOWN[part]);
    return name === undefined ? [] : [{ part, name, isExact: false }];
  });
  const has = (part: ProfilePart) => columns.some((column) => column.part === part);
  const day = known([AGE_DAY]);
  const isKnownAge = has('age') && mapping.age === undefined;
  if (isKnownAge && !has('ageAt') && day !== undefined) {
    columns.push({ part: 'ageAt', name: day, isExact: false });
  }
  return columns;
}
