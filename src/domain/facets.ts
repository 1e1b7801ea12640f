import type { ListingFilter } from './listing-filter.ts';

/** The facets: what listings can be filtered and counted by. */
type Facet = keyof Omit<ListingFilter, 'words' | 'breed'>;

/** Numbers of listings by facet and value. What is not known has no number. */
export type Facets = Readonly<Record<Facet, Readonly<Record<string, number>>>>;

/** Counts the listings by the values of each facet: see `facetsOf`. */
export type CountFacets = (filter: ListingFilter, at: number) => Promise<Facets>;

/** How many listings have a breed. */
export interface BreedCount {
  readonly breed: string;
  readonly listings: number;
}

/** The most breeds that are counted. */
export const BREEDS_MAX = 100;

/** A number of listings that have these values. */
export interface ListingGroup {
  readonly count: number;
  readonly values: Readonly<Record<Facet, readonly (string | bigint)[]>>;
}

const FACETS: readonly Facet[] = [
  'species',
  'sex',
  'ageGroup',
  'size',
  'status',
  'categoryId',
  'goodWith',
  'children',
];

/**
 * Counts groups of listings by the values of each facet: each number is how many listings with that value the
 * list would show if it was chosen too. So a facet of which any value counts leaves out its own filter.
 */
export function facetsOf(groups: Iterable<ListingGroup>, filter: ListingFilter): Facets {
  const facets = Object.fromEntries(FACETS.map((facet) => [facet, {}])) as Record<
    Facet,
    Record<string, number>
  >;
  for (const { count, values } of groups) {
    const failed = FACETS.filter((facet) => !passes(facet, values[facet], filter[facet]));
    if (failed.length > 1) continue;
    const counted = failed.length === 0 ? FACETS : failed.filter((facet) => facet !== 'goodWith');
    for (const facet of counted) {
      for (const value of values[facet]) {
        facets[facet][`${value}`] = (facets[facet][`${value}`] ?? 0) + count;
      }
    }
  }
  return facets;
}

function passes(
  facet: Facet,
  values: readonly (string | bigint)[],
  wanted: readonly (string | bigint)[] | undefined,
): boolean {
  if (wanted === undefined) return true;
  return facet === 'goodWith'
    ? wanted.every((value) => values.includes(value))
    : wanted.some((value) => values.includes(value));
}
