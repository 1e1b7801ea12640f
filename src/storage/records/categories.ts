import { changedFields } from '../../domain/audit.ts';
import {
  type Category,
  type CategoryCensus,
  type CategoryStorage,
  COUNT_LIMIT,
  categoryInUse,
  nameTaken,
  tooManyCategories,
} from '../../domain/category.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  integerList,
  isIn,
  isTextIn,
  one,
  only,
  query,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import type { NotedWrite } from './change.ts';
import { countInCategory } from './pets.ts';

const categories = (text: Sql) => query((row: Category) => row, text);

const LIST = categories(sql`SELECT id, name FROM categories`);
const BY_ID = categories(sql`SELECT id, name FROM categories WHERE id = $1`);
const LOCKED = categories(sql`SELECT id, name FROM categories WHERE id = $1 ${forUpdate}`);
const BY_NAME = categories(sql`SELECT id, name FROM categories WHERE name_folded = $1`);
/** Adds a category whose name nobody has. */
export const INSERT_CATEGORY = categories(
  sql`INSERT INTO categories (name, name_folded) VALUES ($1, $2) RETURNING id, name`,
);
const SAVE = categories(
  sql`UPDATE categories SET name = $1, name_folded = $2 WHERE id = $3 RETURNING id, name`,
);
const REMOVE = categories(sql`DELETE FROM categories WHERE id = $1 RETURNING id, name`);
const COUNT = query(
  (row: { existing: bigint; known: bigint }) => row,
  sql`SELECT count(*) AS existing, count(*) FILTER (WHERE name_folded ${isTextIn('$1')}) AS known
    FROM categories`,
);

/**
 * Throws `conflict` if a category other than `id` has the name. On PostgreSQL, if another transaction
 * takes it at the same time, the unique column fails, and this transaction runs again and finds it here.
 */
function* requireFreeName(folded: string, id?: bigint): Work<void> {
  const holder = yield* one(BY_NAME, folded);
  if (holder !== undefined && holder.id !== id) throw nameTaken(holder);
}

function* countWith(folded: readonly string[]): Work<CategoryCensus> {
  const { existing, known } = yield* only(COUNT, JSON.stringify(folded));
  return { existing: Number(existing), added: folded.length - Number(known) };
}

/** Categories. */
export function createCategoryStorage(
  { read, write }: Transactions,
  noted: NotedWrite,
): CategoryStorage {
  function* create(name: string, stamp: ChangeStamp, most = Infinity): Work<Category> {
    const folded = foldCase(name);
    yield* requireFreeName(folded);
    if (most < Infinity && (yield* countWith([])).existing >= most) throw tooManyCategories(most);
    return yield* noted('category.created', stamp, null, INSERT_CATEGORY, name, folded);
  }

  function* rename(
    id: bigint,
    name: string | undefined,
    stamp: ChangeStamp,
    precondition: Precondition<Category>,
  ): Work<Category | undefined> {
    const known = yield* one(LOCKED, id);
    if (known === undefined) return undefined;
    precondition(known);
    if (name === undefined || name === known.name) return known;
    const folded = foldCase(name);
    yield* requireFreeName(folded, id);
    const changed = changedFields({ name: known.name }, { name });
    return yield* noted('category.updated', stamp, changed, SAVE, name, folded, id);
  }

  function* remove(
    id: bigint,
    stamp: ChangeStamp,
    precondition: Precondition<Category>,
  ): Work<boolean> {
    const known = yield* one(LOCKED, id);
    if (known === undefined) return false;
    precondition(known);
    const animals = yield* countInCategory(id, undefined, COUNT_LIMIT);
    if (animals > 0) throw categoryInUse(id, animals);
    yield* noted('category.deleted', stamp, null, REMOVE, id);
    return true;
  }

  return {
    list: (page, { ids, nameFolded } = {}) =>
      read(() =>
        listed(LIST, page, [
          [(parameter) => sql`id ${isIn(parameter)}`, ids && integerList(ids)],
          [(parameter) => sql`name_folded = ${parameter}`, nameFolded],
        ]),
      ),
    find: (id) => read(() => one(BY_ID, id)),
    create: (name, stamp, most) => write(() => create(name, stamp, most)),
    countWith: (folded) => read(() => countWith(folded)),
    rename: (id, name, stamp, precondition) => write(() => rename(id, name, stamp, precondition)),
    remove: (id, stamp, precondition) => write(() => remove(id, stamp, precondition)),
  };
}
