import { INT64_MAX } from '../domain/int64.ts';
import type { PetFilter } from '../domain/pet.ts';

/** A filter by a part of a name. */
export interface NameFilter extends PetFilter {
  readonly nameFolded: string;
}

/** Code points in a trigram; a shorter part of a name has none. */
const TRIGRAM = 3;

/**
 * Animals that a page may scan for a part of a name that no index finds: 20,000 take about 4 ms.
 * A page that ends there returns what it found, and the next page continues.
 */
export const SCAN_ROWS_MAX = 20_000;

/**
 * Animals scanned first, before the index is queried. They fill a page when one name in a hundred
 * has the part, whose lists in the index are long, and when other conditions exclude most animals.
 */
export const FIRST_SCAN_ROWS = 2_000;

/**
 * Returns trigrams that together cover the text; none if it is too short. Overlapping trigrams would
 * find the same names, and each costs a list of the index.
 */
export function trigramsOf(text: string): readonly string[] {
  const points = [...text];
  const last = points.length - TRIGRAM;
  const trigrams = new Set<string>();
  for (let i = 0; i <= last; i += TRIGRAM) trigrams.add(points.slice(i, i + TRIGRAM).join(''));
  if (last >= 0) trigrams.add(points.slice(last).join(''));
  return [...trigrams];
}

/** Leaves the conditions by which an index has animals in the order of ids: all but the name. */
export function indexedPart({ nameFolded: _, ...others }: PetFilter): PetFilter {
  return others;
}

/** Returns the id that many ids after another, which a made-up cursor may have put at the very end. */
export function idAfter(id: bigint, count: number): bigint {
  const after = id + BigInt(count);
  return after < INT64_MAX ? after : INT64_MAX;
}

/** Returns true for a filter with conditions that an index has. */
export function hasOthers(filter: PetFilter): boolean {
  const { status, categoryId, ids } = filter;
  return status !== undefined || categoryId !== undefined || ids !== undefined;
}
