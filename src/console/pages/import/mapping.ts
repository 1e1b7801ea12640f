/** Which columns of a file become what. */

import { PROFILE_PARTS, type ProfilePart } from '../../../domain/import.ts';
import { known, type StartImportQuery } from '../../service.ts';
import { fieldName } from '../../words.ts';
import type { FileSample, Row } from './file-sample.ts';

/** What a value of the status column becomes. */
export const STATUS_CHOICES = ['available', 'pending', 'sold', 'skip'] as const;
export type StatusChoice = (typeof STATUS_CHOICES)[number];

/** The mapping of a file. An empty column name means none. */
export interface Mapping {
  readonly name: string;
  /** The column with names of categories, or with ids of categories. */
  readonly category: string;
  readonly isCategoryId: boolean;
  /** Empty if all are available; undefined until the person has chosen. */
  readonly status: string | undefined;
  /** By the values of the status column; empty for those that the person has to choose. */
  readonly statuses: Readonly<Record<string, StatusChoice | ''>>;
  /** The column with the ids of the shop's own system. */
  readonly externalId: string;
  /** The name of animals without one; empty to leave their rows out. */
  readonly unnamed: string;
  readonly profile: ProfileMapping;
  /** Publish the animals. */
  readonly publish: boolean;
}

/** Words in column names, the likeliest first. */
const LIKELY = {
  name: [/^name$/, /^(?:animal|pet).?name$/, /name/],
  category: [/^categor/, /^species$/, /^(?:animal|pet)?.?(?:type|kind)$/, /breed/],
  status: [/^status$/, /^outcome.?type$/, /status|outcome|state/],
  externalId: [/^(?:external|animal|pet|a)?.?id$/, /^(?:number|no|nr|code|tag)$/],
} as const;

/** Whole statuses of other systems. Any other is asked for: nobody may publish a dead animal. */
const KNOWN_STATUS: readonly (readonly [RegExp, StatusChoice])[] = [
  [/^(?:available|adoptable|in shelter|ready for adoption)$/, 'available'],
  [/^(?:pending|adoption pending|(?:on )?hold|reserved|(?:in )?foster|trial)$/, 'pending'],
  [/^(?:sold|adopted|adoption|placed|rehomed|rto adopt)$/, 'sold'],
  [
    /^(?:died|dead|deceased|euthani[sz](?:ed|ia)|euthanasia|disposal|transfer(?:red)?|return(?:ed)? to owner|missing|lost|stolen)$/,
    'skip',
  ],
];

/** Guesses the mapping of a file from the names of its columns, and from the values of statuses. */
export function guessMapping(sample: FileSample): Mapping {
  const { columns } = sample;
  const find = (part: keyof typeof LIKELY) =>
    LIKELY[part].flatMap((word) => columns.find((name) => word.test(name.toLowerCase())) ?? [])[0];
  const isOwnExport = columns.includes('categoryId') && !columns.includes('category');
  const known = {
    name: find('name') ?? '',
    category: isOwnExport ? 'categoryId' : (find('category') ?? ''),
    externalId: find('externalId') ?? '',
  };
  const used: readonly string[] = Object.values(known);
  const others = columns.filter((name) => !used.includes(name));
  const status = findStatus(sample, others) ?? (others.length === 0 ? '' : undefined);
  return {
    ...known,
    isCategoryId: isOwnExport,
    status,
    statuses: guessStatuses(sample, status),
    unnamed: '',
    profile: guessProfile(
      columns.filter((name) => ![known.name, known.externalId, status].includes(name)),
    ),
    publish: false,
  };
}

/** Finds the column whose values are statuses: by its name, or else if most values are known. */
function findStatus(sample: FileSample, columns: readonly string[]): string | undefined {
  const knownIn = (column: string) => {
    const choices = Object.values(guessStatuses(sample, column));
    return choices.length === 0 ? 0 : choices.filter(Boolean).length / choices.length;
  };
  const named = LIKELY.status.flatMap((word) =>
    columns.filter((one) => word.test(one.toLowerCase())),
  );
  return named.find((one) => knownIn(one) > 0) ?? columns.find((one) => knownIn(one) > 0.5);
}

/** Guesses what each value of a status column becomes. */
export function guessStatuses(sample: FileSample, column: string | undefined): Mapping['statuses'] {
  const values = [...(sample.values.get(column ?? '')?.keys() ?? [])];
  return Object.fromEntries(values.map((value) => [value, guessStatus(value)]));
}

function guessStatus(value: string): StatusChoice | '' {
  const words = value.toLowerCase().replaceAll(/[\s_-]+/g, ' ');
  return KNOWN_STATUS.find(([word]) => word.test(words))?.[1] ?? '';
}

/** Returns what is missing before the file can be checked, for a person. */
export function problemOf(mapping: Mapping): string | undefined {
  const { name, category, status, statuses } = mapping;
  if (name === '') return 'Choose the column with the names.';
  if (category === '') return 'Choose the column with the categories.';
  if (status === undefined) return 'Choose the column with the statuses, or that there is none.';
  const open = Object.keys(statuses).find((value) => isMappable(value) && statuses[value] === '');
  if (open === '') return 'Choose what an empty status means.';
  if (open !== undefined) return `Choose what the status “${open}” means.`;
  return profileProblem(usedProfile(mapping));
}

/** Returns the mapping as the service takes it. */
export function queryOf(mapping: Mapping): StartImportQuery {
  const { name, category, isCategoryId, status, externalId, unnamed } = mapping;
  return known({
    ...{ name, status, externalId, unnamed },
    ...(isCategoryId ? { categoryId: category } : { category }),
    ...(status && statusMapOf(mapping)),
    ...profileQuery(usedProfile(mapping)),
    ...(mapping.publish && { publish: true }),
    onlyNamed: true,
  });
}

/** A column that became the name, the status or the id says nothing of the profile. */
function usedProfile({ profile, name, status, externalId }: Mapping): ProfileMapping {
  const used = Object.entries(profile).filter(
    ([column]) => ![name, status, externalId].includes(column),
  );
  return Object.fromEntries(used);
}

/** The status map; none if every value is a status. */
function statusMapOf({ statuses }: Mapping): Pick<StartImportQuery, 'statusMap'> {
  const entries = Object.entries(statuses);
  if (entries.length === 0) return {};
  if (entries.every(([value, choice]) => value === choice)) return {};
  const items = entries
    .filter(([value]) => isMappable(value))
    .map(([value, choice]) => `${value}=${choice}`);
  // The values that are left can only be named together.
  if (items.length < entries.length) items.push('*=skip');
  return { statusMap: items.join(',') };
}

/** Returns whether the service can be told what becomes of a value: its map separates with commas. */
export function isMappable(value: string): boolean {
  return !value.includes(',') && value !== '*';
}

/** Returns the animal of a row as far as it can be told here, and whether it is added. */
export function previewOf(row: Row, mapping: Mapping) {
  const cell = (column: string) => (row[column] ?? '').trim();
  const column = mapping.status;
  const chosen = column === '' ? 'available' : mapping.statuses[cell(column ?? '')];
  const choice = chosen || 'not chosen';
  const template = mapping.unnamed.replaceAll(/\{([^{}]*)\}/g, (_, column) => cell(column.trim()));
  const name = cell(mapping.name) || template;
  return {
    name,
    category: cell(mapping.category),
    profile: Object.values(profileQuery(usedProfile(mapping)))
      .map(cell)
      .filter((text) => text !== '')
      .join(', '),
    status: choice === 'skip' ? 'Left out' : name === '' ? 'Rejected: no name' : choice,
    isAdded: choice !== 'skip' && name !== '',
  };
}

/** What each column says; a column that is not there says nothing. */
type ProfileMapping = Readonly<Record<string, ProfilePart | ''>>;

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
const LIKELY_PARTS: { readonly [Part in ProfilePart]?: RegExp } = {
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
function guessProfile(columns: readonly string[]): ProfileMapping {
  const guess: Record<string, ProfilePart> = {};
  for (const part of PROFILE_PARTS) {
    const found = columns.find((column) => {
      const letters = column.toLowerCase().replaceAll(/[^a-z]/g, '');
      const isLikely = letters === part.toLowerCase() || LIKELY_PARTS[part]?.test(letters);
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
function profileProblem(profile: ProfileMapping): string | undefined {
  const parts = Object.values(profile).filter((part) => part !== '');
  const twice = parts.find((part, n) => parts.indexOf(part) < n);
  return twice && `Two columns are “${partName(twice)}”. Choose one of them.`;
}

/** Returns the mapping as the service takes it. */
function profileQuery(profile: ProfileMapping): { readonly [P in ProfilePart]?: string } {
  const named = Object.entries(profile).filter(([, part]) => part !== '');
  return Object.fromEntries(named.map(([column, part]) => [part, column]));
}
