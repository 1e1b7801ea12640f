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
import { foldCase } from '../../domain/name.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  integerList,
  isIn,
  isTextIn,
  methodsOf,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { noted } from './notes.ts';
import { countInCategory } from './pets.ts';

const LIST = sql`SELECT id, name FROM categories`.as<Category>();
const BY_ID = sql`SELECT id, name FROM categories WHERE id = $1`.as<Category>();
const LOCKED = sql`SELECT id, name FROM categories WHERE id = $1 ${forUpdate}`.as<Category>();
const BY_NAME = sql`SELECT id, name FROM categories WHERE name_folded = $1`.as<Category>();
/** Adds a category with a name that is free. */
export const INSERT_CATEGORY =
  sql`INSERT INTO categories (name, name_folded) VALUES ($1, $2) RETURNING id, name`.as<Category>();
const SAVE =
  sql`UPDATE categories SET name = $1, name_folded = $2 WHERE id = $3 RETURNING id, name`.as<Category>();
const REMOVE = sql`DELETE FROM categories WHERE id = $1 RETURNING id, name`.as<Category>();
const COUNT =
  sql`SELECT count(*) AS existing, count(*) FILTER (WHERE name_folded ${isTextIn('$1')}) AS known
    FROM categories`.as<{ existing: bigint; known: bigint }>();

/**
 * Throws `conflict` if a category other than `id` has the name. On PostgreSQL, if another transaction
 * takes it at the same time, the unique column fails, and this transaction runs again and finds it here.
 */
function* requireFreeName(folded: string, id?: bigint): Work<void> {
  const holder = yield* BY_NAME.one(folded);
  if (holder !== undefined && holder.id !== id) throw nameTaken(holder);
}

function* countWith(folded: readonly string[]): Work<CategoryCensus> {
  const { existing, known } = yield* COUNT.only(JSON.stringify(folded));
  return { existing: Number(existing), added: folded.length - Number(known) };
}

/** Categories. */
export function createCategoryStorage(transactions: Transactions): CategoryStorage {
  const { reads, writes } = methodsOf<CategoryStorage>(transactions);
  return {
    ...reads({
      list: (page, { ids, nameFolded } = {}) =>
        listed(LIST, page, [
          [(parameter) => sql`id ${isIn(parameter)}`, ids && integerList(ids)],
          ['name_folded', nameFolded],
        ]),
      find: (id) => BY_ID.one(id),
      countWith,
    }),
    ...writes({
      *create(name, stamp, most = Infinity) {
        const folded = foldCase(name);
        yield* requireFreeName(folded);
        if (most < Infinity && (yield* countWith([])).existing >= most)
          throw tooManyCategories(most);
        return yield* noted('category.created', stamp, null, INSERT_CATEGORY, name, folded);
      },
      *rename(id, name, stamp, precondition) {
        const known = yield* LOCKED.one(id);
        if (known === undefined) return undefined;
        precondition(known);
        if (name === undefined || name === known.name) return known;
        const folded = foldCase(name);
        yield* requireFreeName(folded, id);
        const changed = changedFields({ name: known.name }, { name });
        return yield* noted('category.updated', stamp, changed, SAVE, name, folded, id);
      },
      *remove(id, stamp, precondition) {
        const known = yield* LOCKED.one(id);
        if (known === undefined) return false;
        precondition(known);
        const animals = yield* countInCategory(id, undefined, COUNT_LIMIT);
        if (animals > 0) throw categoryInUse(id, animals);
        yield* noted('category.deleted', stamp, null, REMOVE, id);
        return true;
      },
    }),
  };
}
