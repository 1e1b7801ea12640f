import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
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
export function withTotal(page: MaybePromise<Result>, filter: PetFilter, storage: Stores) {
  return thenDo(page, (result) =>
    thenDo(totalOf(filter, storage), (total) => ({
      ...result,
      headers: { ...result.headers, ...(total !== undefined && { 'x-total-count': `${total}` }) },
      // Changes of animals on other pages alter the count too: it is not cached.
      dependsOn: undefined,
    })),
  );
}

/** Counts the animals that pass a filter; undefined if that would take long. */
function totalOf(
  { status, categoryId, ids, nameFolded }: PetFilter,
  { pets, stats }: Stores,
): MaybePromise<number | undefined> {
  if (ids !== undefined || nameFolded !== undefined) return undefined;
  if (categoryId !== undefined) {
    const counted = (status ?? [undefined]).reduce<MaybePromise<number>>(
      (sum, one) =>
        thenDo(sum, (before) =>
          thenDo(pets.countInCategory(categoryId, one, TOTAL_MAX + 1), (count) => before + count),
        ),
      0,
    );
    return thenDo(counted, (count) => (count > TOTAL_MAX ? undefined : count));
  }
  return thenDo(stats.pets(), (counts) =>
    (status ?? PET_STATUSES).map((one) => counts[one]).reduce((sum, count) => sum + count, 0),
  );
}
