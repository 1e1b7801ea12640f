/** Which columns of a file become what. */

import { PROFILE_PARTS, type ProfilePart } from '../../../domain/import.ts';
import { recognise } from '../../../import/recognise.ts';
import { meaningOf } from '../../../import/statuses.ts';
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

/** Guesses the mapping of a file as the service recognises its columns. */
export function guessMapping(sample: FileSample): Mapping {
  const columns = new Map(sample.columns.map((name) => [name, 1]));
  const { mapping, profile, taken, stays } = recognise({}, columns, sample.first);
  const columnOf = (target: string) => taken.find((one) => one.target === target)?.column;
  const isCategoryId = columnOf('categoryId') !== undefined;
  const status = columnOf('status') ?? stays.outcomeType;
  const others = sample.columns.filter((name) => !taken.some(({ column }) => column === name));
  return {
    name: columnOf('name') ?? '',
    category: columnOf('categoryId') ?? mapping.category ?? '',
    externalId: columnOf('externalId') ?? '',
    isCategoryId,
    status: status ?? (others.length === 0 ? '' : undefined),
    statuses: guessStatuses(sample, status),
    unnamed: '',
    profile: Object.fromEntries(profile.map(({ part, name }) => [name, part])),
    publish: false,
  };
}

/** Guesses what each value of a status column becomes. Values that differ in case alone mean the same. */
export function guessStatuses(sample: FileSample, column: string | undefined): Mapping['statuses'] {
  const values = [...(sample.values.get(column ?? '')?.keys() ?? [])];
  return Object.fromEntries(values.map((value) => [value, guessStatus(value)]));
}

function guessStatus(value: string): StatusChoice | '' {
  if (STATUS_CHOICES.some((choice) => choice === value)) return value as StatusChoice;
  const meaning = meaningOf(value);
  if (meaning === undefined) return '';
  if ('status' in meaning) return meaning.status;
  // Who is adopted may be looked up later. The others end their stay, or never came here.
  return meaning.left === 'adopted' ? 'sold' : 'skip';
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
    .map(([value, choice]) => `${quoted(value)}=${choice}`);
  // The value that is left can only be named with all others.
  if (items.length < entries.length) items.push('*=skip');
  return { statusMap: items.join(',') };
}

/** A value with a sign that the map has is put in quotes. */
function quoted(value: string): string {
  return /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Returns whether the service can be told what becomes of a value: in its map, a star is all others. */
export function isMappable(value: string): boolean {
  return value !== '*';
}

/** What a value becomes, whatever its case. */
function chosenFor({ statuses }: Mapping, value: string): StatusChoice | '' | undefined {
  const [, choice] =
    Object.entries(statuses).find(([one]) => one.toLowerCase() === value.toLowerCase()) ?? [];
  return choice;
}

/** Returns the animal of a row as far as it can be told here, and whether it is added. */
export function previewOf(row: Row, mapping: Mapping) {
  const cell = (column: string) => (row[column] ?? '').trim();
  const column = mapping.status;
  const chosen = column === '' ? 'available' : chosenFor(mapping, cell(column ?? ''));
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
