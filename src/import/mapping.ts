import type { ProfilePart, StayPart } from '../domain/import.ts';
import { foldCase } from '../domain/name.ts';
import { isPetStatus, PET_STATUSES, type PetStatus } from '../domain/pet.ts';
import { OUTCOME_TYPES, type OutcomeType } from '../domain/stay-types.ts';
import { shortReason } from './failure.ts';

/** A mapping that cannot be read. The message is a sentence, or the end of one about its text. */
export class WrongMapping extends Error {}

/** The status of the animal, how it left, or `skip` to leave the row out. */
export type StatusChoice = PetStatus | OutcomeType | 'skip';

/** Returns whether a choice says how an animal left. */
export const isOutcome = (text: string): text is OutcomeType =>
  OUTCOME_TYPES.some((type) => type === text);

/** Maps the values of the status column. */
export type StatusMap = ReadonlyMap<string, StatusChoice>;

/** Matches every value that the map does not name. */
const REST = '*';

/** Splits `A=b,"C, d"=e` at its commas, outside of quotes. */
function pairsOf(text: string): (readonly [value: string, choice: string, item: string])[] {
  const items = text.match(/(?:\s*"(?:[^"]|"")*"\s*=[^,]*|[^,]+|(?<=,)(?=,|$))/g) ?? [text];
  return items.map((item) => {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*=(.*)$/s.exec(item);
    if (quoted) return [(quoted[1] ?? '').replaceAll('""', '"'), (quoted[2] ?? '').trim(), item];
    // Split at the last =, so that a value may contain one.
    const sign = item.lastIndexOf('=');
    return sign < 0
      ? ['', '', item]
      : [item.slice(0, sign).trim(), item.slice(sign + 1).trim(), item];
  });
}

/** Reads a map, of whose choices `read` says what they mean. Throws `WrongMapping` for a value that comes twice. */
function readMap<T>(text: string, read: (choice: string, item: string) => T) {
  const map = new Map<string, T>();
  for (const [value, choice, item] of pairsOf(text)) {
    const meant = read(choice, shortReason(item));
    if (map.has(foldCase(value))) throw new WrongMapping(`It maps "${shortReason(value)}" twice.`);
    map.set(foldCase(value), meant);
  }
  return map;
}

/** Reads `Adoption=sold,Died=skip,*=available`. Throws `WrongMapping` for a wrong one. */
export function parseStatusMap(text: string): StatusMap {
  return readMap<StatusChoice>(text, (choice, item) => {
    if (choice === 'skip' || isPetStatus(choice) || isOutcome(choice)) return choice;
    throw new WrongMapping(
      `"${item}" must be VALUE=STATUS, where STATUS is ${PET_STATUSES.join(', ')}, how it left (${OUTCOME_TYPES.join(', ')}) or skip.`,
    );
  });
}

/** Reads `Hund=Dog,Katze=Cat`. Throws `WrongMapping` for a wrong one. */
export function parseCategoryMap(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  return readMap(text, (choice, item) => {
    if (choice !== '') return choice;
    throw new WrongMapping(`"${item}" must be VALUE=CATEGORY.`);
  });
}

/**
 * Maps a value; undefined if it has no mapping. Without a map a value must be a status, and
 * an empty value means available.
 */
export function statusOf(value: string, map: StatusMap | undefined): StatusChoice | undefined {
  if (map !== undefined) return map.get(foldCase(value)) ?? map.get(REST);
  if (value === '') return 'available';
  const folded = foldCase(value);
  return isPetStatus(folded) ? folded : undefined;
}

/** What people have to know of the columns of profiles. */
export const PART_NOTES: { readonly [Part in ProfilePart]?: string } = {
  breed: '"Labrador Mix" and "Labrador/Poodle" say more than the breed.',
  sex: '"Neutered Male" says more than the sex.',
  colours: 'Such as "Brown/White".',
  birthDate: 'ISO 8601, or another form that all values of the column fit.',
  inCareSince: 'A date, as the birth date.',
  weightGrams: 'Or a weight with its unit.',
  fee: 'Such as "75 USD".',
  published: 'It counts only if the animals are published.',
  age: 'Such as "2 years", in place of a birth date.',
  ageAt: 'The day of the age. Without it only the age group is taken.',
};

/** What people have to know of the columns of stays. */
export const STAY_NOTES: Readonly<Record<StayPart, string>> = {
  intakeDate: 'the day on which the animal came',
  intakeType: 'how it came, such as stray or surrender',
  outcomeDate: 'the day on which it left',
  outcomeType: 'how it left, such as adopted or died; it decides the status',
};

/** A name for animals without one, made from columns of their row. */
export interface NameTemplate {
  readonly columns: readonly string[];
  /** Builds a name; `cell` returns the text of a column. */
  fill(cell: (column: string) => string): string;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Each is filled for every nameless row, so their number is bounded. */
const PLACEHOLDERS_MAX = 20;

/** Reads `Unnamed {AnimalType}`. Throws `WrongMapping` for a wrong template. */
export function parseNameTemplate(text: string): NameTemplate {
  if (text.trim() === '') throw new WrongMapping('It must not be empty.');
  if (/[{}]/.test(text.replaceAll(PLACEHOLDER, ''))) {
    throw new WrongMapping('Each { needs a }, with the name of a column between them.');
  }
  const columns = [...text.matchAll(PLACEHOLDER)].map(([, column = '']) => column.trim());
  if (columns.length > PLACEHOLDERS_MAX) {
    throw new WrongMapping(`It may name at most ${PLACEHOLDERS_MAX} columns.`);
  }
  return {
    columns,
    fill: (cell) =>
      text.replaceAll(PLACEHOLDER, (_placeholder, column: string) => cell(column.trim())).trim(),
  };
}

/** The encodings that a text can have: those of the WHATWG standard. */
export type Encoding = NonNullable<ConstructorParameters<typeof TextDecoder>[0]>;

/** Returns the standard name of an encoding; undefined if no encoding has that name. */
export function encodingNamed(name: string): Encoding | undefined {
  try {
    // The constructor refuses unknown names.
    return new TextDecoder(name as Encoding).encoding as Encoding;
  } catch {
    return undefined;
  }
}

/** The units of weights that a mapping can name. */
export const WEIGHT_UNITS = ['g', 'kg', 'oz', 'lb'] as const;
