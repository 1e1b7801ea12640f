import type { PetFilter } from '../domain/pet.ts';

/** A filter with a part of a name. */
export interface NameFilter extends PetFilter {
  readonly nameFolded: string;
}

/** How many code points a trigram has: a shorter part of a name has none. */
const TRIGRAM = 3;

/**
 * How many animals a page may look through for a part of a name that no index finds. A page that
 * ends there holds what it found, and the next one goes on: 50,000 take about 10 ms.
 */
export const LOOKED_THROUGH_MAX = 50_000;

/**
 * So many animals are looked through first, before an index is asked or more are looked at. That
 * fills a page for a part that one in a hundred has, whose lists in an index are long, and for
 * other conditions that leave few animals over.
 */
export const LOOKED_AT_FIRST = 2_000;

/**
 * Trigrams of a text that hold all of its characters together; none where it is shorter than one.
 * Those between them would find the same, and each has a list of its own.
 */
export function trigramsOf(text: string): readonly string[] {
  const points = [...text];
  const last = points.length - TRIGRAM;
  const trigrams = new Set<string>();
  for (let i = 0; i <= last; i += TRIGRAM) trigrams.add(points.slice(i, i + TRIGRAM).join(''));
  if (last >= 0) trigrams.add(points.slice(last).join(''));
  return [...trigrams];
}

/** Whether no name can have this part: names have no NUL, and neither engine takes one. */
export function isInNoName(part: string): boolean {
  return part.includes('\0');
}

/** Whether a filter has conditions besides the part of a name. */
export function hasOthers({ status, categoryId, ids }: PetFilter): boolean {
  return status !== undefined || categoryId !== undefined || ids !== undefined;
}
