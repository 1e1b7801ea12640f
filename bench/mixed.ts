import { PET_STATUSES } from '../src/domain/pet.ts';
import { createRandom } from '../test/e2e/crash/random.ts';
import { CATEGORIES } from './animals.ts';
import { additions, everyAnimal, type Kind, listsAt } from './kinds.ts';

/** Requests of a mixed load before their order repeats. */
export const CYCLE = 1_000;
/** The same in every run, so that all contenders get the same requests. */
export const SEED = 20_261_122;

const status = (index: number) => `status=${PET_STATUSES[index % PET_STATUSES.length]}`;
const category = (index: number) => `categoryId=${1 + (index % CATEGORIES)}`;

/** What clients ask of the list, and how many requests for lists of a thousand ask it. */
const LISTS: readonly { readonly of1000: number; query(index: number): string }[] = [
  { of1000: 300, query: () => '' },
  { of1000: 300, query: (index) => `?${status(index)}` },
  { of1000: 200, query: (index) => `?${category(index)}` },
  { of1000: 100, query: (index) => `?${category(index)}&${status(index)}` },
  // Pages in the middle. They start where a page of 100 animals ends, so that a walk finds their cursors.
  { of1000: 80, query: (index) => `?cursor=${500 + index * 1_200}` },
  { of1000: 20, query: (index) => `?${status(0)}&cursor=${600 + index * 4_800}` },
];

/** First pages with and without filters, and pages in the middle of the list. */
export const spreadLists: Kind = listsAt(
  shuffled(
    LISTS.flatMap(({ of1000, query }) =>
      Array.from({ length: of1000 }, (_, index) => `/v1/pets${query(index)}`),
    ),
  ),
);

/** The kinds of a mixed load, as its order counts them. */
export const mixedKinds: readonly Kind[] = [spreadLists, everyAnimal, additions];

/** The kind of each request of a cycle: additions, and as many lists as single animals. */
export function mixedOrder(additionsOf1000: number): readonly number[] {
  const reads = (CYCLE - additionsOf1000) / 2;
  const counts = [reads, reads, additionsOf1000];
  return shuffled(counts.flatMap((count, kind) => Array<number>(count).fill(kind)));
}

/** Returns the items in an order that is the same in every run. */
export function shuffled<T>(items: readonly T[]): readonly T[] {
  const random = createRandom(SEED);
  const left = [...items];
  return items.flatMap(() => left.splice(random.below(left.length), 1));
}
