/** Which columns of a file say what of profiles. */
import { PROFILE_PARTS, type ProfilePart } from '../../../domain/import.ts';
import { fieldName } from '../../words.ts';

/** What each column says; a column that is not there says nothing. */
export type ProfileMapping = Readonly<Record<string, ProfilePart | ''>>;

const AGE_NAMES: Readonly<Record<string, string>> = {
  age: 'Age, such as 2 years',
  ageAt: 'Day of the age',
};

/** The parts to choose from, by their names. */
export const PART_OPTIONS = PROFILE_PARTS.map((part) => ({
  value: part,
  label: partName(part),
})).sort((one, other) => one.label.localeCompare(other.label));

/** Returns what a part is called. */
export function partName(part: ProfilePart): string {
  return AGE_NAMES[part] ?? fieldName(part);
}

/** The letters of likely headers, besides those of the part itself. */
const LIKELY: { readonly [Part in ProfilePart]?: RegExp } = {
  species: /^(?:animaltype|type|kind)$/,
  breed: /^(?:primary)?breed$/,
  secondBreed: /^secondarybreed$/,
  colours: /^(?:primary)?colou?rs?$/,
  sex: /^(?:gender|sexupon(?:outcome|intake))$/,
  birthDate: /^(?:dateofbirth|birthday|dob|born)$/,
  age: /^ageupon(?:outcome|intake)$/,
  description: /^(?:bio|biography|story)$/,
  microchip: /^(?:micro)?chip(?:number|no|id)?$/,
  neutered: /^(?:altered|spayed|fixed|sterili[sz]ed)$/,
  vaccinated: /^(?:vaccinations?|shots)$/,
  fee: /^adoptionfee$/,
  inCareSince: /^(?:intake|admission|arrival)date$/,
  location: /^(?:kennel|cage|room)$/,
};

/** Guesses what columns say from their names. No two say the same. */
export function guessProfile(columns: readonly string[]): ProfileMapping {
  const guess: Record<string, ProfilePart> = {};
  for (const part of PROFILE_PARTS) {
    const found = columns.find((column) => {
      const letters = column.toLowerCase().replaceAll(/[^a-z]/g, '');
      const isLikely = letters === part.toLowerCase() || LIKELY[part]?.test(letters);
      return isLikely && !Object.hasOwn(guess, column);
    });
    if (found !== undefined) guess[found] = part;
  }
  const day = columns.find((column) => column.toLowerCase() === 'datetime');
  const isUponDay = Object.entries(guess).some(
    ([column, part]) => part === 'age' && /upon/i.test(column),
  );
  if (isUponDay && day !== undefined && !Object.hasOwn(guess, day)) guess[day] = 'ageAt';
  return guess;
}

/** Returns what is wrong with a mapping, for a person. */
export function profileProblem(profile: ProfileMapping): string | undefined {
  const parts = Object.values(profile).filter((part) => part !== '');
  const twice = parts.find((part, n) => parts.indexOf(part) < n);
  return twice && `Two columns are “${partName(twice)}”. Choose one of them.`;
}

/** Returns the mapping as the service takes it. */
export function profileQuery(profile: ProfileMapping): { readonly [P in ProfilePart]?: string } {
  const named = Object.entries(profile).filter(([, part]) => part !== '');
  return Object.fromEntries(named.map(([column, part]) => [part, column]));
}
