import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet } from '../../domain/pet.ts';
import {
  FIRST_SCAN_ROWS,
  hasOthers,
  indexedPart,
  isInNoName,
  type NameFilter,
  SCAN_ROWS_MAX,
} from '../name-part.ts';
import { PET_COLUMNS } from '../records/pets.ts';
import { petConditions } from './conditions.ts';
import type { Session } from './connection.ts';
import { findByTrigrams } from './trigrams.ts';

/** As FIRST_SCAN_ROWS, with further conditions: the animals that they leave are far apart. */
const FIRST_SCAN_ROWS_FILTERED = 200;

/**
 * Lists animals by a part of their names. If an operator has created a trigram index, it finds rare
 * parts. Otherwise animals are scanned by id, a bounded number for each page: a page that reaches the
 * bound holds what it found, and the next one continues there.
 */
export async function searchByName(
  session: Session,
  filter: NameFilter,
  { afterId = 0n, limit }: PageRequest,
): Promise<Page<Pet>> {
  if (isInNoName(filter.nameFolded)) return pageOf([], limit);
  const count = hasOthers(filter) ? FIRST_SCAN_ROWS_FILTERED : FIRST_SCAN_ROWS;
  const first = await endOf(session, count, afterId, filter);
  const found = await scanBetween(session, filter, afterId, first ?? INT64_MAX, limit + 1);
  if (first === undefined || found.length > limit) return pageOf(found, limit);
  const missing = limit + 1 - found.length;
  const named = await findByTrigrams(session, filter, first, missing);
  if (named !== undefined) return pageOf([...found, ...named], limit);
  const end = await endOf(session, SCAN_ROWS_MAX, first, filter);
  found.push(...(await scanBetween(session, filter, first, end ?? INT64_MAX, missing)));
  const isWhole = end === undefined || found.length > limit || end >= (await newestId(session));
  return isWhole ? pageOf(found, limit) : { items: found, more: true, resumeAfter: end };
}

/** Returns the id at which the bound is reached, or undefined if fewer animals are left. */
async function endOf(
  session: Session,
  count: number,
  afterId: bigint,
  filter: NameFilter,
): Promise<bigint | undefined> {
  // Without other conditions every id counts, so nothing needs to be read.
  if (!hasOthers(filter)) return afterId + BigInt(count);
  const { where, values, next } = petConditions(afterId, indexedPart(filter));
  const [row] = await session.query<{ id: bigint }>(
    `SELECT id FROM pets WHERE ${where} ORDER BY id LIMIT 1 OFFSET ${next}`,
    ...values,
    count - 1,
  );
  return row?.id;
}

/** Scans the animals between two ids. */
async function scanBetween(
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
