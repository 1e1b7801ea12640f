import type { Database } from 'bun:sqlite';
import {
  type Category,
  type CategoryStorage,
  COUNT_LIMIT,
  categoryInUse,
  nameTaken,
} from '../../domain/category.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import { foldCase } from '../../domain/name.ts';
import { pageOf } from '../../domain/page.ts';
import type { Access } from './access.ts';
import { createCategoryInsert } from './category-insert.ts';
import type { NoteChange } from './change-writer.ts';

/** Categories in SQLite. */
export function createCategoryStorage(
  database: Database,
  noteChange: NoteChange,
  { read, write }: Access,
): CategoryStorage {
  const list = database.query<Category, [bigint, number]>(
    'SELECT id, name FROM categories WHERE id > ? ORDER BY id LIMIT ?',
  );
  const byId = database.query<Category, [bigint]>('SELECT id, name FROM categories WHERE id = ?');
  const byName = database.query<Category, [string]>(
    'SELECT id, name FROM categories WHERE name_folded = ?',
  );
  const insert = createCategoryInsert(database, noteChange);
  const save = database.query<null, [string, string, bigint]>(
    'UPDATE categories SET name = ?, name_folded = ? WHERE id = ?',
  );
  const remove = database.query<null, [bigint]>('DELETE FROM categories WHERE id = ?');
  const countPets = database.query<{ n: bigint }, [bigint, number]>(
    'SELECT count(*) AS n FROM (SELECT 1 FROM pets WHERE category_id = ? LIMIT ?)',
  );

  /** Throws `conflict` if a category other than `id` has the name. */
  function requireFreeName(folded: string, id: bigint | undefined): void {
    const holder = byName.get(folded);
    if (holder !== null && holder.id !== id) throw nameTaken(holder);
  }

  function create(name: string, stamp: ChangeStamp): Category {
    requireFreeName(foldCase(name), undefined);
    return insert(name, stamp);
  }

  function rename(
    id: bigint,
    name: string | undefined,
    stamp: ChangeStamp,
    precondition: Precondition<Category>,
  ): Category | undefined {
    const known = byId.get(id);
    if (known === null) return undefined;
    precondition(known);
    if (name === undefined || name === known.name) return known;
    const folded = foldCase(name);
    requireFreeName(folded, id);
    save.run(name, folded, id);
    const category = { id, name };
    noteChange({ type: 'category.updated', category }, stamp);
    return category;
  }

  function removeCategory(
    id: bigint,
    stamp: ChangeStamp,
    precondition: Precondition<Category>,
  ): boolean {
    const known = byId.get(id);
    if (known === null) return false;
    precondition(known);
    const animals = Number(countPets.get(id, COUNT_LIMIT)?.n ?? 0n);
    if (animals > 0) throw categoryInUse(id, animals);
    remove.run(id);
    noteChange({ type: 'category.deleted', category: known }, stamp);
    return true;
  }

  return {
    list: ({ afterId, limit }) => read(() => pageOf(list.all(afterId ?? 0n, limit + 1), limit)),
    find: (id) => read(() => byId.get(id) ?? undefined),
    create: (name, stamp) => write(() => create(name, stamp)),
    rename: (id, name, stamp, precondition) => write(() => rename(id, name, stamp, precondition)),
    remove: (id, stamp, precondition) => write(() => removeCategory(id, stamp, precondition)),
  };
}
