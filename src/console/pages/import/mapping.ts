/** Which columns of a file become what. */

import {
  PROFILE_PARTS,
  type ProfilePart,
  STAY_PARTS,
  type StayPart,
} from '../../../domain/import.ts';
import { foldCase } from '../../../domain/name.ts';
import { PROFILE_FIELDS } from '../../../domain/profile.ts';
import { OUTCOME_TYPES } from '../../../domain/stay-types.ts';
import type { StatusChoice } from '../../../import/mapping.ts';
import { meaningOf } from '../../../import/statuses.ts';
import { folded, wordIn } from '../../../import/words.ts';
import { t } from '../../language.ts';
import { known, type StartImportQuery } from '../../service.ts';
import type { ChosenFile, FileSample } from './file-sample.ts';
import { partName } from './reasons.ts';

/** What a value of the status column becomes. */
export const STATUS_CHOICES: readonly StatusChoice[] = [
  ...(['available', 'pending', 'sold', 'skip'] as const),
  ...OUTCOME_TYPES,
];

/** What a column says besides name, category, status and id. */
export type Part = ProfilePart | StayPart;
export const PARTS: readonly Part[] = [...PROFILE_PARTS, ...STAY_PARTS];

/** The mapping of a file. An empty column name means none. */
export interface Mapping extends ChosenCategories {
  readonly name: string;
  /** The category of a file of one kind. */
  readonly categoryIs: string;
  /** Empty if all are available; undefined until the person has chosen. */
  readonly status: string | undefined;
  /** By the values of the status column; empty for those that the person has to choose. */
  readonly statuses: Readonly<Record<string, StatusChoice | ''>>;
  /** The column with the ids of the shop's own system. */
  readonly externalId: string;
  /** The name of animals without one; empty to leave their rows out. */
  readonly unnamed: string;
  /** What each other column says. */
  readonly parts: Readonly<Record<string, Part | ''>>;
  readonly weightUnit: string;
  /** Publish the animals. */
  readonly publish: boolean;
  readonly photos: boolean;
  readonly withHistory: boolean;
  readonly missing: 'keep' | 'unpublish' | 'leave';
}

/** A file that was chosen, and what was said of it. */
export interface Draft {
  readonly file: ChosenFile;
  readonly mapping: Mapping;
  readonly rememberedFrom?: string | undefined;
}

/** Stands for a column of categories in a file of one kind. No column is called like this. */
export const ONE_KIND = '\u0000one';

/** Guesses the mapping of a file as the service recognises its columns. */
export function guessMapping(sample: FileSample): Mapping {
  const { mapping, profile, taken, stays } = sample.recognised;
  const columnOf = (target: string) => taken.find((one) => one.target === target)?.column;
  const status = columnOf('status') ?? stays.outcomeType;
  const others = sample.columns.filter((name) => !taken.some(({ column }) => column === name));
  const stayParts = STAY_PARTS.flatMap((part) => {
    const column = stays[part];
    return column === undefined || column === status ? [] : [[column, part] as const];
  });
  // Columns of second colours go with that of the first.
  const own = profile.filter(({ part }, n) => profile.findIndex((one) => one.part === part) === n);
  const category = columnOf('categoryId') ?? mapping.category;
  return {
    name: columnOf('name') ?? '',
    category: category ?? '',
    externalId: columnOf('externalId') ?? '',
    isCategoryId: columnOf('categoryId') !== undefined,
    categoryIs: '',
    categories: {},
    status: status ?? (others.length === 0 ? '' : undefined),
    statuses: guessStatuses(sample, status),
    unnamed: '',
    parts: {
      ...Object.fromEntries(own.map(({ part, name }) => [name, part])),
      ...Object.fromEntries(stayParts),
    },
    weightUnit: '',
    publish: false,
    photos: true,
    withHistory: false,
    missing: 'keep',
  };
}

/** Guesses what each value of a status column becomes. Values that differ in case alone mean the same. */
export function guessStatuses(sample: FileSample, column: string | undefined): Mapping['statuses'] {
  const values = [...(sample.values.get(column ?? '')?.keys() ?? [])];
  // Who has no outcome is still here.
  const { outcomeType, outcomeDate } = sample.recognised.stays;
  const isOutcome = column !== undefined && column === outcomeType && outcomeDate !== undefined;
  return Object.fromEntries(
    values.map((value) => [value, value === '' && isOutcome ? 'available' : guessStatus(value)]),
  );
}

function guessStatus(value: string): StatusChoice | '' {
  const word = STATUS_CHOICES.slice(0, 3).find((choice) => choice === value.toLowerCase());
  if (word !== undefined) return word;
  const meaning = meaningOf(value);
  if (meaning === undefined) return '';
  return 'status' in meaning ? meaning.status : meaning.left;
}

/** Statuses that are asked for once: they mean the same, or are one word. */
interface StatusGroup {
  readonly values: readonly string[];
  readonly animals: number;
}

/** Groups the values of the status column by what they mean. */
export function statusGroups(sample: FileSample, column: string): readonly StatusGroup[] {
  const groups = Map.groupBy(sample.values.get(column) ?? [], ([value]) => {
    const meaning = meaningOf(value);
    return meaning === undefined ? `word:${folded(value) || value}` : JSON.stringify(meaning);
  });
  return [...groups.values()].map((same) => ({
    values: same.map(([value]) => value),
    animals: same.reduce((sum, [, animals]) => sum + animals, 0),
  }));
}

/** Returns what is missing before the file can be checked, for a person: all of it. */
export function problemOf(mapping: Mapping): string | undefined {
  const { name, category, categoryIs, status, statuses, unnamed } = mapping;
  const open = Object.keys(statuses).filter((value) => isMappable(value) && !statuses[value]);
  const problems = [
    ...(name === '' && unnamed === '' ? [t`Choose the column with the names.`] : []),
    ...(category === '' ? [t`Choose the column with the categories.`] : []),
    ...(category === ONE_KIND && categoryIs === ''
      ? [t`Say which category all animals have.`]
      : []),
    ...(status === undefined
      ? [t`Choose the column with the statuses, or that there is none.`]
      : open.map((value) =>
          value === ''
            ? t`Choose what an empty status means.`
            : t`Choose what the status “${value}” means.`,
        )),
    ...partsProblems(usedParts(mapping)),
  ];
  return problems.length === 0 ? undefined : problems.join(' ');
}

export function queryOf(
  mapping: Mapping,
  sample: FileSample,
  existing: readonly string[],
): StartImportQuery {
  const { name, category, isCategoryId, categoryIs, status, externalId, unnamed } = mapping;
  const names = category === ONE_KIND ? { categoryIs } : { category };
  return known({
    ...{ name, status, externalId, unnamed, weightUnit: mapping.weightUnit },
    ...(isCategoryId ? { categoryId: category } : names),
    ...(status && statusMapOf(mapping)),
    ...categoryMapOf(mapping, sample, existing),
    ...partsQuery(usedParts(mapping)),
    ...(mapping.publish && { publish: true }),
    ...(mapping.withHistory && { withHistory: true }),
    ...(!mapping.photos && { photos: false }),
    ...(mapping.missing !== 'keep' && { missing: mapping.missing }),
    onlyNamed: true,
    // What is left empty is none, and weights have the units of the query.
  } as StartImportQuery);
}

/** A column that became the name, the status or the id says nothing else. */
function usedParts({ parts, name, status, externalId }: Mapping): Mapping['parts'] {
  const used = Object.entries(parts).filter(
    ([column]) => ![name, status, externalId].includes(column),
  );
  return Object.fromEntries(used);
}

/** The status map; none if every value means what the service reads in it. */
function statusMapOf({ statuses }: Mapping): Pick<StartImportQuery, 'statusMap'> {
  const entries = Object.entries(statuses);
  const isRead = ([value, choice]: [string, string]) =>
    choice === (value === '' ? 'available' : guessStatus(value));
  if (entries.every(isRead)) return {};
  const items = entries
    .filter(([value, choice]) => isMappable(value) && choice !== '')
    .map(([value, choice]) => `${quoted(value)}=${choice}`);
  // The value that is left can only be named with all others.
  if (entries.some(([value]) => !isMappable(value))) items.push('*=skip');
  if (items.length === 0) return {};
  return { statusMap: items.join(',') };
}

/** The categories that become others. */
function categoryMapOf(
  mapping: Mapping,
  sample: FileSample,
  existing: readonly string[],
): Pick<StartImportQuery, 'categoryMap'> {
  const items = categoryValues(sample, mapping).flatMap((value) => {
    const name = categoryFor(value, mapping, existing);
    return name === value ? [] : `${quoted(value)}=${name}`;
  });
  // A name with a comma cannot be said in the map.
  const said = items.filter((item) => !item.slice(item.lastIndexOf('=')).includes(','));
  return said.length === 0 ? {} : { categoryMap: said.join(',') };
}

/** A value with a sign that the map has is put in quotes. */
function quoted(value: string): string {
  return /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Returns whether the service can be told what becomes of a value: in its map, a star is all others. */
export function isMappable(value: string): boolean {
  return value !== '*';
}

/** The parts to choose from, by their names. */
export const PART_OPTIONS = PARTS.map((part) => [part, partName(part)] as const).sort(
  ([, one], [, other]) => one.localeCompare(other),
);

/** Says which parts have two columns, for a person. */
function partsProblems(parts: Mapping['parts']): readonly string[] {
  const used = Object.values(parts).filter((part) => part !== '');
  const twice = used.filter((part, n) => used.indexOf(part) < n);
  return [...new Set(twice)].map(
    (part) => t`Two columns are “${partName(part)}”. Choose one of them.`,
  );
}

function partsQuery(parts: Mapping['parts']): { readonly [P in Part]?: string } {
  const named = Object.entries(parts).filter(([, part]) => part !== '');
  return Object.fromEntries(named.map(([column, part]) => [part, column]));
}

interface ChosenCategories {
  /** The column with names of categories, or with ids of categories; `ONE_KIND` if all are of one. */
  readonly category: string;
  readonly isCategoryId: boolean;
  /** What values of the category become, by their folded texts; others stay as they are. */
  readonly categories: Readonly<Record<string, string>>;
}

/** Returns the category that a value becomes: the one of the shop that means the same, else a new one. */
export function categoryFor(
  value: string,
  { categories }: Pick<ChosenCategories, 'categories'>,
  existing: readonly string[],
): string {
  const chosen = categories[foldCase(value)];
  if (chosen !== undefined) return chosen;
  const same = existing.find((name) => foldCase(name) === foldCase(value));
  if (same !== undefined) return same;
  const species = speciesOf(value);
  const [only, other] =
    species === undefined ? [] : existing.filter((name) => speciesOf(name) === species);
  return only !== undefined && other === undefined ? only : value;
}

const speciesOf = (text: string) => {
  const species = wordIn('species', PROFILE_FIELDS.species.words, text);
  return species === 'other' ? undefined : species;
};

/** The values of the category column, if they are names and few enough to choose for each. */
export function categoryValues(sample: FileSample, mapping: ChosenCategories): readonly string[] {
  if (mapping.isCategoryId) return [];
  const values = sample.values.get(mapping.category);
  return [...(values?.keys() ?? [])].filter((value) => value !== '');
}
