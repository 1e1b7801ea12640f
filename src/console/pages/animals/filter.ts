/** Which animals the page shows: all of it is in the address. */
import { query, readId } from '../../router.ts';
import { known, type PetStatus } from '../../service.ts';
import { statusName } from '../../words.ts';

export const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold'];

/** The statuses to choose from. */
export const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: statusName(value) }));

/** Animals on a page: the first is usual. */
export const SIZES = [25, 100] as const;

export type AnimalFilter = ReturnType<typeof currentFilter>;

/** Returns the filter in the address. Values that mean nothing are left out. */
export function currentFilter() {
  return known({
    name: query.value.get('q'),
    status: STATUSES.find((one) => one === query.value.get('status')),
    categoryId: readId(query.value.get('category')),
  });
}

/** Returns the number of animals on a page, as the address says. */
export function currentSize(): number {
  return SIZES.find((size) => String(size) === query.value.get('size')) ?? SIZES[0];
}

/** Query parameters that show all animals. */
export const NO_FILTER = { q: undefined, status: undefined, category: undefined, page: undefined };
