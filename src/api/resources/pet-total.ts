import { PET_STATUSES, type PetFilter } from '../../domain/pet.ts';
import type { Storage } from '../../domain/storage.ts';
import type { Result } from '../contract/operation.ts';
import { oneOf } from '../contract/request-fields.ts';

/** Animals of a category that are counted for the total of a list. */
const TOTAL_MAX = 100_000;

/** Whether to count the animals of a list. */
export const totalInQuery = oneOf(['true', 'false']).optional().meta({
  description: `With \`true\`, \`X-Total-Count\` says how many animals pass the filters. It is absent with \`id\` or \`name\`, and for more than 100,000 animals of a category.`,
});

type Stores = Pick<Storage, 'pets' | 'stats'>;

/** Adds the number of animals that pass a filter to a page of them. */
export async function withTotal(result: Result, filter: PetFilter, storage: Stores) {
  const total = await totalOf(filter, storage);
  return {
    ...result,
    headers: { ...result.headers, ...(total !== undefined && { 'x-total-count': `${total}` }) },
  };
}

/** Counts the animals that pass a filter; undefined if that would take long. */
async function totalOf(
  { status, categoryId, ids, nameFolded }: PetFilter,
  { pets, stats }: Stores,
): Promise<number | undefined> {
  if (ids !== undefined || nameFolded !== undefined) return undefined;
  if (categoryId !== undefined) {
    const count = await pets.countInCategory(categoryId, status, TOTAL_MAX + 1);
    return count > TOTAL_MAX ? undefined : count;
  }
  const counts = await stats.pets();
  const wanted = status === undefined ? PET_STATUSES : [status];
  return wanted.map((one) => counts[one]).reduce((sum, count) => sum + count, 0);
}
