import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import { isInNoName, LOOKED_AT_FIRST, LOOKED_THROUGH_MAX } from '../name-part.ts';
import { PET_COLUMNS } from '../pet-row.ts';
import type { Session } from './connection.ts';
import { petConditions } from './pet-conditions.ts';

/** Above every id. */
const END = 2n ** 63n - 1n;

/** A filter with a part of a name. */
export interface NameFilter extends PetFilter {
  readonly nameFolded: string;
}

/**
 * Lists animals by a part of their names. They are looked through in their order, so many for a page
 * at the most: a page that ends there holds what it found, and the next one goes on.
 */
export async function searchByName(
  session: Session,
  filter: NameFilter,
  { afterId = 0n, limit }: PageRequest,
): Promise<Page<Pet>> {
  if (isInNoName(filter.nameFolded)) return pageOf([], limit);
  const first = await endOf(session, LOOKED_AT_FIRST, afterId, filter);
  const found = await lookThrough(session, filter, afterId, first ?? END, limit + 1);
  if (first === undefined || found.length > limit) return pageOf(found, limit);
  const end = await endOf(session, LOOKED_THROUGH_MAX, first, filter);
  const missing = limit + 1 - found.length;
  found.push(...(await lookThrough(session, filter, first, end ?? END, missing)));
  const isWhole = end === undefined || found.length > limit || end >= (await newestId(session));
  return isWhole ? pageOf(found, limit) : { items: found, more: true, resumeAfter: end };
}

/** Where so many animals have been looked through; undefined where fewer are left. */
async function endOf(
  session: Session,
  count: number,
  afterId: bigint,
  { nameFolded: _, ...filter }: NameFilter,
): Promise<bigint | undefined> {
  // Without other conditions every id counts, so nothing has to be read.
  if (filter.status === undefined && filter.categoryId === undefined && !filter.ids) {
    return afterId + BigInt(count);
  }
  const { where, values, next } = petConditions(afterId, filter);
  const [row] = await session.query<{ id: bigint }>(
    `SELECT id FROM pets WHERE ${where} ORDER BY id LIMIT 1 OFFSET ${next}`,
    ...values,
    count - 1,
  );
  return row?.id;
}

/** Looks through the animals above an id, up to another. */
async function lookThrough(
  session: Session,
  filter: NameFilter,
  from: bigint,
  to: bigint,
  limit: number,
): Promise<Pet[]> {
  const conditions = petConditions(from, filter);
  conditions.add('id <= ?', to);
  return await session.query<Pet>(
    `SELECT ${PET_COLUMNS} FROM pets
     WHERE ${conditions.where} ORDER BY id LIMIT ${conditions.next}`,
    ...conditions.values,
    limit,
  );
}

async function newestId(session: Session): Promise<bigint> {
  const [row] = await session.query<{ id: bigint | null }>('SELECT max(id) AS id FROM pets');
  return row?.id ?? 0n;
}
