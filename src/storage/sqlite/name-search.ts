import type { Database } from 'bun:sqlite';
import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import {
  hasOthers,
  isInNoName,
  LOOKED_AT_FIRST,
  LOOKED_THROUGH_MAX,
  type NameFilter,
} from '../name-part.ts';
import { PET_COLUMNS } from '../pet-row.ts';
import { matchOf, type NameIndex } from './name-index.ts';
import { type Bindable, conditionsAfter } from './pet-conditions.ts';

/** So many animals that meet the other conditions of a filter say how far apart those lie. */
const SAMPLE = 100;
/** To read an animal that lies apart takes as long as to see of so many others whether they do. */
const CHEAPER = 10;

/** Lists animals by a part of their names. */
export function createNameSearch(
  database: Database,
  index: NameIndex,
): (filter: NameFilter, page: PageRequest) => Page<Pet> {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM pets');
  const newestId = () => newest.get()?.id ?? 0n;
  const candidate = database.query<{ id: bigint }, [string, bigint, bigint, number]>(
    `SELECT rowid AS id FROM derived_pet_names
     WHERE derived_pet_names MATCH ? AND rowid > ? AND rowid <= ? LIMIT 1 OFFSET ?`,
  );

  /** The animal that so many are looked through with; undefined where fewer are left. */
  function endOf(count: number, afterId: bigint, { nameFolded: _, ...filter }: NameFilter) {
    // Without other conditions every id counts, so nothing has to be read.
    if (!hasOthers(filter)) return afterId + BigInt(count);
    const { where, values } = conditionsAfter(afterId, filter);
    const sql = `SELECT id FROM pets WHERE ${where} ORDER BY id LIMIT 1 OFFSET ?`;
    return database.query<{ id: bigint }, Bindable[]>(sql).get(...values, count - 1)?.id;
  }

  /** Looks through the animals above an id, up to another. */
  function lookThrough(filter: NameFilter, from: bigint, to: bigint, limit: number): Pet[] {
    const { where, values } = conditionsAfter(from, filter);
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} AND id <= ? ORDER BY id LIMIT ?`;
    return database.query<Pet, Bindable[]>(sql).all(...values, to, limit);
  }

  /** Asks the index for animals above an id, up to another. */
  function lookUp(match: string, filter: NameFilter, from: bigint, to: bigint, limit: number) {
    const { where, values } = conditionsAfter(from, filter);
    // CROSS JOIN: the index first, which gives ids in their order, and each animal by its id.
    const sql = `SELECT ${PET_COLUMNS} FROM (
        SELECT rowid AS candidate FROM derived_pet_names
        WHERE derived_pet_names MATCH ? AND rowid > ? AND rowid <= ?
      ) CROSS JOIN pets ${indexOf(filter)} ON id = candidate
      WHERE ${where} ORDER BY candidate LIMIT ?`;
    return database.query<Pet, Bindable[]>(sql).all(match, from, to, ...values, limit);
  }

  /** Finds what is behind `from` with the index, and without it where that does not reach. */
  function findIndexed(match: string, filter: NameFilter, from: bigint, limit: number): Pet[] {
    // Read once: another process may move it on between the two statements.
    const indexedTo = index.indexedTo();
    const found = from < indexedTo ? lookUp(match, filter, from, indexedTo, limit) : [];
    if (found.length === limit) return found;
    const rest = from > indexedTo ? from : indexedTo;
    return [...found, ...lookThrough(filter, rest, INT64_MAX, limit - found.length)];
  }

  /**
   * Finds what meets other conditions too. Whichever of the two lists is the shorter one up to an
   * animal is read, and what it gives is held against the other.
   */
  function findAmong(match: string, filter: NameFilter, from: bigint, to: bigint, limit: number) {
    const isLong = candidate.get(match, from, to, SAMPLE * CHEAPER - 1) !== null;
    if (isLong) return lookThrough(filter, from, INT64_MAX, limit);
    return findIndexed(match, filter, from, limit);
  }

  return function search(filter, { afterId = 0n, limit }) {
    const part = filter.nameFolded;
    if (isInNoName(part)) return pageOf([], limit);
    const match = matchOf(part);
    const isAmong = match !== undefined && hasOthers(filter);
    const first = endOf(isAmong ? SAMPLE : LOOKED_AT_FIRST, afterId, filter);
    if (isAmong && first !== undefined) {
      return pageOf(findAmong(match, filter, afterId, first, limit + 1), limit);
    }
    const found = lookThrough(filter, afterId, first ?? INT64_MAX, limit + 1);
    if (first === undefined || found.length > limit) return pageOf(found, limit);
    const missing = limit + 1 - found.length;
    if (match !== undefined) {
      return pageOf([...found, ...findIndexed(match, filter, first, missing)], limit);
    }
    const end = endOf(LOOKED_THROUGH_MAX, first, filter);
    found.push(...lookThrough(filter, first, end ?? INT64_MAX, missing));
    const isWhole = end === undefined || end >= newestId() || found.length > limit;
    return isWhole ? pageOf(found, limit) : { items: found, more: true, resumeAfter: end };
  };
}

/**
 * Where to see whether an animal meets the other conditions: in an index the next one lies near,
 * and most of those that do not meet them are never read. Left to itself SQLite takes the table.
 */
function indexOf({ status, categoryId }: PetFilter): string {
  if (categoryId === undefined) return '';
  return `INDEXED BY pets_by_category${status === undefined ? '' : '_and_status'}`;
}
