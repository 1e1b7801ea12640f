/** Which animals the page shows: all of it is in the address. */
import { CARES } from '../../../domain/profile.ts';
import { query, readId, readNumber } from '../../router.ts';
import { known, type PetStatus } from '../../service.ts';
import { optionsOf } from '../../words.ts';

export const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold'];

export const STATUS_OPTIONS = optionsOf(STATUSES);

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

/** Returns which of these words a query parameter has, separated by commas. */
const words = <T extends string>(name: string, allowed: readonly T[]): readonly T[] => {
  const asked = query.value.get(name)?.split(',') ?? [];
  return allowed.filter((word) => asked.includes(word));
};

const DAY_MS = 86_400_000;

/** What "To do" counts by: in days, so that its links stay true. */
export function workFilter() {
  const days = readNumber(query.value.get('days'));
  const dayBefore = (count: number) =>
    new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);
  return known({
    listed: words('listed', ['true'])[0],
    inCareSince: days === undefined ? undefined : dayBefore(days),
    careUntil: words('ended', ['true'])[0] && dayBefore(0),
  });
}

const PRESENT: Readonly<Record<string, 'true' | 'false'>> = { here: 'true', left: 'false' };

/** Returns what staff filter and sort by besides, as the address says it. */
export function staffFilter() {
  const where = query.value.get('where');
  const cares = words('care', CARES);
  return known({
    care: cares.length > 0 ? cares : undefined,
    published: words('published', ['true', 'false'])[0],
    hasPhoto: words('photo', ['true', 'false'])[0],
    present: PRESENT[where ?? ''] ?? ('any' as const),
    removed: where === 'removed' ? ('true' as const) : undefined,
    sort: words('sort', ['name', 'waiting', 'location'])[0],
    ...workFilter(),
  });
}

/** The query of the list that staff work with. The page itself writes `Number 12`. */
export function animalQuery({ name, ...filter }: AnimalFilter) {
  const q = name?.replace(/^\s*(?:number\s+|#)/i, '');
  return known({ ...filter, ...staffFilter(), q });
}

export function currentSize(): number {
  return SIZES.find((size) => String(size) === query.value.get('size')) ?? SIZES[0];
}

/** The query parameters of a page without a filter. The order of the list stays. */
export const NO_FILTER = {
  ...{ q: undefined, status: undefined, category: undefined, page: undefined },
  ...{ care: undefined, published: undefined, photo: undefined, where: undefined },
  ...{ listed: undefined, days: undefined, ended: undefined },
};
