import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { Page, PageRequest } from './page.ts';

/**
 * A kind of animal. Names are unique, ignoring case.
 *
 * Callers with the scope `read` may list and get categories; `write` may also create, rename and
 * remove them. A category cannot be removed while animals refer to it.
 */
export interface Category {
  readonly id: bigint;
  /** Follows the rules of name.ts. */
  readonly name: string;
}

/** The categories of a shop, and the new ones that an import would make. */
export interface CategoryCensus {
  readonly existing: number;
  readonly added: number;
}

/** A filter of a list. All conditions that are present must hold. */
interface CategoryFilter {
  readonly ids?: readonly bigint[] | undefined;
  /** The whole name, folded by `foldCase`. */
  readonly nameFolded?: string | undefined;
}

/** The storage contract of categories. */
export interface CategoryStorage {
  /** Returns a page in ascending order of id. */
  list(page: PageRequest, filter?: CategoryFilter): Promise<Page<Category>>;
  find(id: bigint): Promise<Category | undefined>;
  /** Throws `conflict` if the name is taken, or if there are `most` categories already. */
  create(name: string, stamp: ChangeStamp, most?: number): Promise<Category>;
  /** Counts the categories, and those of these folded names that no category has yet. */
  countWith(folded: readonly string[]): Promise<CategoryCensus>;
  /**
   * Renames a category; an undefined name leaves it unchanged. Returns undefined if the
   * category does not exist. Throws what the precondition throws, or `conflict` if the name is taken.
   */
  rename(
    id: bigint,
    name: string | undefined,
    stamp: ChangeStamp,
    precondition: Precondition<Category>,
  ): Promise<Category | undefined>;
  /**
   * Removes a category. Returns whether it existed. Throws what the precondition throws, or
   * `conflict` while animals refer to it.
   */
  remove(id: bigint, stamp: ChangeStamp, precondition: Precondition<Category>): Promise<boolean>;
}

/** The failure of a name that `category` already has. */
export function nameTaken(category: Category): Failure {
  return new Failure(
    'conflict',
    `Category ${category.id} already has that name; names must differ in more than case.`,
  );
}

/** The failure of a category beyond the limit. */
export function tooManyCategories(most: number): Failure {
  const shown = most.toLocaleString('en');
  const message = `There are ${shown} categories already: remove one that no animal refers to, or ask the operator to raise PETSTORE_MAX_CATEGORIES.`;
  return new Failure('conflict', message);
}

/** Animals of a category are counted up to this number: a refusal must not count a million rows. */
const COUNTED_MAX = 1_000;
/** The most rows that a storage reads to count the animals of a category for `categoryInUse`. */
export const COUNT_LIMIT = COUNTED_MAX + 1;

/** The failure of a removal while animals refer to the category. `animals` is at most COUNT_LIMIT. */
export function categoryInUse(id: bigint, animals: number): Failure {
  const counted =
    animals > COUNTED_MAX ? `More than ${COUNTED_MAX.toLocaleString('en')}` : String(animals);
  const refer = animals === 1 ? '1 animal refers' : `${counted} animals refer`;
  return new Failure('conflict', `${refer} to category ${id}: move or remove them first.`);
}
