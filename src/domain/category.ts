import type { Precondition } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Page, PageRequest } from './page.ts';

/** A kind of animal. Names differ in more than case. */
export interface Category {
  readonly id: bigint;
  /** Follows the rules of name.ts. */
  readonly name: string;
}

export interface CategoryStorage {
  /** Ascending by id. */
  list(page: PageRequest): MaybePromise<Page<Category>>;
  find(id: bigint): MaybePromise<Category | undefined>;
  /** Throws `conflict` where the name is taken. */
  create(name: string): MaybePromise<Category>;
  /** Undefined where there is no such category. Throws `conflict` where the name is taken. */
  rename(
    id: bigint,
    name: string | undefined,
    precondition: Precondition<Category>,
  ): MaybePromise<Category | undefined>;
  /** Whether there was one. Throws `conflict` while animals refer to it. */
  remove(id: bigint, precondition: Precondition<Category>): MaybePromise<boolean>;
}

/** The failure of a name that another category has. */
export function nameTaken(category: Category): Failure {
  return new Failure(
    'conflict',
    `Category ${category.id} has that name already; names must differ in more than case.`,
  );
}

/** Animals of a category are counted up to here: a refusal must not have to count a million. */
const COUNTED_MAX = 1_000;
/** How many rows a storage reads to count the animals of a category for `categoryInUse`. */
export const COUNT_LIMIT = COUNTED_MAX + 1;

/** The failure of a removal while animals refer to the category; `animals` goes up to COUNT_LIMIT. */
export function categoryInUse(id: bigint, animals: number): Failure {
  const counted =
    animals > COUNTED_MAX ? `More than ${COUNTED_MAX.toLocaleString('en')}` : String(animals);
  const refer = animals === 1 ? '1 animal refers' : `${counted} animals refer`;
  return new Failure('conflict', `${refer} to category ${id}: move or remove them first.`);
}
