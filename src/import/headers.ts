import type { ProfilePart } from '../domain/import.ts';
import table from './headers.json';

/** What a column can be taken for. */
export type Target =
  | ProfilePart
  | 'name'
  | 'category'
  | 'status'
  | 'externalId'
  | 'intakeDate'
  | 'intakeType'
  | 'outcomeDate'
  | 'outcomeType'
  | 'deathDate'
  | 'recordType'
  | 'photo'
  | 'secondColour'
  | 'returnDate'
  | 'gone'
  | 'here'
  | 'notWithDogs'
  | 'notWithCats'
  | 'notWithChildren';

/**
 * The headers of other systems, the likeliest first, each with the systems whose files have it. Only letters
 * and digits count: `Animal #` is `animal`. The names in exports of ASM, PetPoint, Shelterluv, RescueGroups,
 * ShelterBuddy and Petstablished are those that ASM's own import scripts and publishers read and write; the
 * others are those of the published files of Austin, Sonoma County, Long Beach, Dallas and King County.
 */
export const HEADERS: Readonly<Record<Target, Readonly<Record<string, string>>>> = table;

/** The column with the day of `Age upon Outcome` and `Age upon Intake`. */
export const AGE_DAY = 'datetime';

/** Headers of columns with the name of who has the animal now. */
export const isAdopter = (letters: string) => HEADERS.gone[letters] === 'names';

const HEADER_MAX = 200;

/** Folds a header: without signs and accents. */
export function lettersOf(header: string): string {
  return header
    .slice(0, HEADER_MAX)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** All headers that some system writes. */
export const KNOWN_HEADERS: ReadonlySet<string> = new Set(
  Object.values(HEADERS).flatMap((headers) => Object.keys(headers)),
);

/** `attributes.name` is a name; only for the wrappers that hold a whole animal. */
export function lastStep(column: string): string {
  return /^(?:attributes|animal|pet|fields)\./.test(column)
    ? column.replace(/^[^.]*\./, '')
    : column;
}

/** The longest end of a header that is looked at for them: a thousand columns must not hold up others. */
const FORM_MAX = 30;

/** Units, forms and remarks that sheets write behind a header: `Age (yrs)`, `DOB [MM/DD/YYYY]`, `Weight, kg`, `Fee $`. */
const FORM = new RegExp(
  `(?:[\\s,:-]{0,2}[\\s,:([-](?:${[
    'yrs?|years?|mths?|mos?|months?|wks?|weeks?|days?|jahren?|monaten?|ans|mois|años|meses',
    'lbs?|pounds?|kgs?|kilos?|g|grams?|cm|inches|usd|eur|euros?|chf',
    'm/f|f/m|m/w|w/m|m/h|y/n|yes/no|j/n|ja/nein|oui/non|o/n|s/n|sí/no|si/no',
    '[dtj]{1,2}[-/.]m{1,2}[-/.][yja]{2,4}|m{1,2}[-/.]d{1,2}[-/.]y{2,4}|y{4}[-/.]m{2}[-/.]d{2}',
    'required|optional|approx|approximate|est|estimated|if known|falls bekannt|ca|public|internal',
  ].join('|')})(?![\\p{L}\\p{N}])\\.?[)\\]]?){1,3}\\s?\\*?\\s?$`,
  'iu',
);

const formless = (text: string) =>
  text.slice(0, -FORM_MAX) + text.slice(-FORM_MAX).replace(FORM, '');

/** Folds a header without its unit or form. */
export function withoutForm(header: string): string {
  return lettersOf(formless(header.slice(0, HEADER_MAX)));
}

const ANIMALS =
  'pet|animal|dog|cat|kitten|puppy|rabbit|horse|tier|hund|hunde|katze|katzen|mascota|perro|gato|chien|chat|animale|cane|gatto|dier';
/** `Pet Age`, `dog_breed` and `PetType` tell of an animal, as all headers do. */
const ANIMAL_BEFORE = new RegExp(`^(?:${ANIMALS})(?:['\u2019]s)?[\\s_.-]+(?=\\p{L})`, 'iu');
const ANIMAL_JOINED = /^(?:[Pp]et|[Aa]nimal|[Dd]og|[Cc]at)(?=\p{Lu})/u;
/** So do `ID_Mascota` and `Breed of dog`. */
const ANIMAL_BEHIND = new RegExp(
  `[\\s_-]{1,2}(?:(?:of|of the|des|der|de|de la|del|du|de l['\u2019]|dell['\u2019]|do)[\\s_-]?)?(?:${ANIMALS})$`,
  'iu',
);

const withoutWord = (text: string) =>
  text.replace(ANIMAL_BEFORE, '').replace(ANIMAL_JOINED, '').replace(ANIMAL_BEHIND, '');

/** Folds a header without the word for the animal. */
export function withoutAnimal(header: string): string {
  return lettersOf(withoutWord(formless(header.slice(0, HEADER_MAX)).trim()));
}

/** Returns whether some system writes this header. */
export function isKnownHeader(header: string): boolean {
  const text = header.slice(0, HEADER_MAX);
  const plain = formless(text).trim();
  const bare = withoutWord(plain);
  // Each costs some microseconds, and a thousand columns have as many.
  return [...new Set([text, plain, bare])].some((one) => KNOWN_HEADERS.has(lettersOf(one)));
}
