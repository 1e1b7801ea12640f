/** Which columns of a file become what. */
import type { StartImportQuery } from '../../service.ts';
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
  readonly status: string;
  /** By the values of the status column. */
  readonly statuses: Readonly<Record<string, StatusChoice>>;
  /** The column with the ids of the shop's own system. */
  readonly externalId: string;
  /** The name of animals without one; empty to leave their rows out. */
  readonly unnamed: string;
}

/** Words in column names, the likeliest first. */
const LIKELY = {
  name: [/^name$/, /^(?:animal|pet).?name$/, /name/],
  category: [/^categor/, /^species$/, /^(?:animal|pet)?.?(?:type|kind)$/, /breed/],
  status: [/^status$/, /^outcome.?type$/, /status|outcome|state/],
  externalId: [/^(?:external|animal|pet|a)?.?id$/, /^(?:number|no|nr|code|tag)$/],
} as const;

/** Words in statuses of other systems. The first that fits decides. */
const LIKELY_STATUS: readonly (readonly [RegExp, StatusChoice])[] = [
  [/^$|available|intake|in.?shelter|new|open/, 'available'],
  [/pending|hold|reserved|foster|trial/, 'pending'],
  [/sold|adopt|placed|home/, 'sold'],
  [/died|dead|euth|disposal|transfer|return|missing|lost|stolen/, 'skip'],
];

/** Guesses the mapping of a file from the names of its columns. */
export function guessMapping(sample: FileSample): Mapping {
  const { columns } = sample;
  const find = (part: keyof typeof LIKELY) =>
    LIKELY[part].flatMap((word) => columns.find((name) => word.test(name.toLowerCase())) ?? [])[0];
  const isOwnExport = columns.includes('categoryId') && !columns.includes('category');
  const status = find('status') ?? '';
  return {
    name: find('name') ?? '',
    category: isOwnExport ? 'categoryId' : (find('category') ?? ''),
    isCategoryId: isOwnExport,
    status,
    statuses: guessStatuses(sample, status),
    externalId: find('externalId') ?? '',
    unnamed: '',
  };
}

/** Guesses what each value of a status column becomes. */
export function guessStatuses(sample: FileSample, column: string): Mapping['statuses'] {
  const values = [...(sample.values.get(column)?.keys() ?? [])];
  return Object.fromEntries(values.map((value) => [value, guessStatus(value)]));
}

function guessStatus(value: string): StatusChoice {
  return LIKELY_STATUS.find(([word]) => word.test(value.toLowerCase()))?.[1] ?? 'available';
}

/** Returns what is missing before the file can be checked, for a person. */
export function problemOf({ name, category }: Mapping): string | undefined {
  if (name === '') return 'Choose the column with the names.';
  return category === '' ? 'Choose the column with the categories.' : undefined;
}

/** Returns the mapping as the service takes it. */
export function queryOf(mapping: Mapping): StartImportQuery {
  const { name, category, isCategoryId, status, externalId, unnamed } = mapping;
  return {
    name,
    ...(isCategoryId ? { categoryId: category } : { category }),
    ...(status !== '' && { status, ...statusMapOf(mapping) }),
    ...(externalId !== '' && { externalId }),
    ...(unnamed !== '' && { unnamed }),
  };
}

/** The status map; none if every value stands for itself. */
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

/** An animal as a row describes it. */
export interface AnimalPreview {
  readonly name: string;
  readonly category: string;
  /** undefined if the row is left out. */
  readonly status: string | undefined;
}

/** Returns the animal of a row, as far as it can be told here. */
export function previewOf(row: Row, mapping: Mapping): AnimalPreview {
  const cell = (column: string) => (row[column] ?? '').trim();
  const choice = mapping.status === '' ? 'available' : mapping.statuses[cell(mapping.status)];
  const status = choice ?? (cell(mapping.status) || 'available');
  const template = mapping.unnamed.replaceAll(/\{([^{}]*)\}/g, (_, column) => cell(column.trim()));
  const name = cell(mapping.name) || template;
  return {
    ...{ name, category: cell(mapping.category) },
    status: status === 'skip' || name === '' ? undefined : status,
  };
}
