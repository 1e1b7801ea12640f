/** Which animals the page shows: all of it is in the address. */
import { statusName } from '../../components/status.tsx';
import { readId } from '../../int64.ts';
import { query } from '../../router.ts';
import type { Int64, Pet, PetStatus } from '../../service.ts';

export const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold'];

/** The statuses to choose from. */
export const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: statusName(value) }));

export interface AnimalFilter {
  readonly name?: string;
  readonly status?: PetStatus;
  readonly categoryId?: Int64;
}

/** Returns the filter in the address. Values that mean nothing are left out. */
export function currentFilter(): AnimalFilter {
  const name = query.value.get('q') ?? '';
  const status = STATUSES.find((one) => one === query.value.get('status'));
  const categoryId = readId(query.value.get('category'));
  return {
    ...(name !== '' && { name }),
    ...(status !== undefined && { status }),
    ...(categoryId !== undefined && { categoryId }),
  };
}

/** Query parameters that show all animals. */
export const NO_FILTER = { q: undefined, status: undefined, category: undefined, page: undefined };

export function isFiltering(filter: AnimalFilter): boolean {
  return Object.keys(filter).length > 0;
}

/** Returns whether the service would list an animal, as closely as the browser can tell. */
export function matches({ name, status, categoryId }: AnimalFilter, pet: Pet): boolean {
  return (
    (name === undefined || pet.name.toLowerCase().includes(name.toLowerCase())) &&
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId)
  );
}
