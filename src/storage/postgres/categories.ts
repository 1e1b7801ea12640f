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
import { noting, stampValues } from './change-notes.ts';
import type { Session } from './connection.ts';
import type { Access } from './writer.ts';

/** Categories in PostgreSQL. */
export function createCategoryStorage({ read, write }: Access): CategoryStorage {
  return {
    list: ({ afterId, limit }) =>
      read(async (session) => {
        const text = 'SELECT id, name FROM categories WHERE id > $1 ORDER BY id LIMIT $2';
        const rows = await session.query<Category>(text, afterId ?? 0n, limit + 1);
        return pageOf(rows, limit);
      }),
    find: (id) => read((session) => find(session, id)),
    create: (name, stamp) => write((session) => create(session, name, stamp)),
    rename: (id, name, stamp, precondition) =>
      write((session) => rename(session, id, name, stamp, precondition)),
    remove: (id, stamp, precondition) =>
      write((session) => remove(session, id, stamp, precondition)),
  };
}

async function find(session: Session, id: bigint, lock = ''): Promise<Category | undefined> {
  const text = `SELECT id, name FROM categories WHERE id = $1 ${lock}`;
  const [category] = await session.query<Category>(text, id);
  return category;
}

/**
 * Throws `conflict` if a category other than `id` has the name. If another transaction takes it at the
 * same time, the unique column fails, and this transaction runs again and finds it here.
 */
async function requireFreeName(session: Session, folded: string, id?: bigint): Promise<void> {
  const text = 'SELECT id, name FROM categories WHERE name_folded = $1';
  const [holder] = await session.query<Category>(text, folded);
  if (holder !== undefined && holder.id !== id) throw nameTaken(holder);
}

async function create(session: Session, name: string, stamp: ChangeStamp): Promise<Category> {
  const folded = foldCase(name);
  await requireFreeName(session, folded);
  const [category] = await session.query<Category>(
    noting(
      'category.created',
      2,
      'INSERT INTO categories (name, name_folded) VALUES ($1, $2) RETURNING id, name',
    ),
    name,
    folded,
    ...stampValues(stamp),
  );
  if (category === undefined) throw new Error('INSERT … RETURNING gave no row');
  return category;
}

async function rename(
  session: Session,
  id: bigint,
  name: string | undefined,
  stamp: ChangeStamp,
  precondition: Precondition<Category>,
): Promise<Category | undefined> {
  const known = await find(session, id, 'FOR UPDATE');
  if (known === undefined) return undefined;
  precondition(known);
  if (name === undefined || name === known.name) return known;
  const folded = foldCase(name);
  await requireFreeName(session, folded, id);
  await session.run(
    noting(
      'category.updated',
      3,
      'UPDATE categories SET name = $1, name_folded = $2 WHERE id = $3 RETURNING id, name',
    ),
    name,
    folded,
    id,
    ...stampValues(stamp),
  );
  return { id, name };
}

async function remove(
  session: Session,
  id: bigint,
  stamp: ChangeStamp,
  precondition: Precondition<Category>,
): Promise<boolean> {
  const known = await find(session, id, 'FOR UPDATE');
  if (known === undefined) return false;
  precondition(known);
  const text =
    'SELECT count(*) AS n FROM (SELECT 1 FROM pets WHERE category_id = $1 LIMIT $2) AS counted';
  const [row] = await session.query<{ n: bigint }>(text, id, BigInt(COUNT_LIMIT));
  const animals = Number(row?.n ?? 0n);
  if (animals > 0) throw categoryInUse(id, animals);
  const deletion = 'DELETE FROM categories WHERE id = $1 RETURNING id, name';
  await session.run(noting('category.deleted', 1, deletion), id, ...stampValues(stamp));
  return true;
}
