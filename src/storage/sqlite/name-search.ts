import type { Database } from 'bun:sqlite';
import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import { hasOthers, isInNoName, LOOKED_AT_FIRST, type NameFilter } from '../name-part.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import { matchesOf, type NameIndex } from './name-index.ts';
import { type Bindable, conditionsAfter } from './pet-conditions.ts';

/** Animals that a page looks at first where other conditions leave animals out: those left lie apart. */
const LOOKED_AT_FIRST_APART = 100;
/**
 * Animals that a page may read one by one, where an index says which: first a few, which fill most
 * pages, then so many that they take about 10 ms.
 */
const BUDGETS = [200, 4_800];
/** Animals that are read in their order in the time of one that is read apart: 50,000 for a page. */
const IN_ORDER = 10;
/** In an index with the category so many animals can be checked while one is read. */
const SEEN_IN_INDEX = 10n;

/** A way to the animals behind an id. It reads a bounded number of them. */
interface Way {
  /** The last animal that it reaches; undefined where it reaches all. */
  readonly end: bigint | undefined;
  find(limit: number): Pet[];
}

/** A query of the index of names. */
interface Question {
  readonly match: string;
  /** The last animal that may be asked for; undefined where all may. */
  readonly end: bigint | undefined;
}

/**
 * Lists animals by a part of their names. The index finds what is rare, else they are looked through
 * in their order. Either way a page reads a bounded number: one that ends there holds what it
 * found, and the next one goes on.
 */
export function createNameSearch(
  database: Database,
  index: NameIndex,
): (filter: NameFilter, page: PageRequest) => Page<Pet> {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM pets');
  const newestId = () => newest.get()?.id ?? 0n;
  const entry = database.query<{ id: bigint }, [string, bigint, bigint, number]>(
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

  function throughAnimals(filter: NameFilter, from: bigint, budget: number): Way {
    const end = endOf(hasOthers(filter) ? budget : budget * IN_ORDER, from, filter);
    return { end, find: (limit) => lookThrough(filter, from, end ?? INT64_MAX, limit) };
  }

  /**
   * What to ask the index for, and how far that reaches: animals with all the trigrams that are rare
   * from here on, or with the rarest. Two long lists are never held against each other, since FTS5
   * would go through them until it finds an animal in both, however far away that is.
   */
  function questionFor(
    part: string,
    from: bigint,
    to: bigint,
    budget: number,
  ): Question | undefined {
    const rare: string[] = [];
    let rarest: { readonly match: string; readonly end: bigint } | undefined;
    for (const match of matchesOf(part)) {
      const end = entry.get(match, from, to, budget - 1)?.id;
      if (end === undefined) rare.push(match);
      else if (rarest === undefined || end > rarest.end) rarest = { match, end };
    }
    return rare.length === 0 ? rarest : { match: rare.join(' AND '), end: undefined };
  }

  function byTrigrams(filter: NameFilter, from: bigint, budget: number): Way | undefined {
    // Read once: another process may move it on between two statements.
    const indexedTo = index.indexedTo();
    if (from >= indexedTo) return undefined;
    const question = questionFor(filter.nameFolded, from, indexedTo, budget);
    if (question === undefined) return undefined;
    const { match, end } = question;
    return {
      end,
      find(limit) {
        const found = lookUp(match, filter, from, end ?? indexedTo, limit);
        if (end !== undefined || found.length === limit) return found;
        // The newest animals are not in the index yet.
        return [...found, ...lookThrough(filter, indexedTo, INT64_MAX, limit - found.length)];
      },
    };
  }

  /** The way that reaches further for what it costs. */
  function wayFrom(from: bigint, filter: NameFilter, budget: number): Way {
    const indexed = byTrigrams(filter, from, budget);
    if (indexed !== undefined && indexed.end === undefined) return indexed;
    const plain = throughAnimals(filter, from, budget);
    if (indexed?.end === undefined || plain.end === undefined) return plain;
    const cheaper = filter.categoryId === undefined ? 1n : SEEN_IN_INDEX;
    return (indexed.end - from) * cheaper > plain.end - from ? indexed : plain;
  }

  return function search(filter, { afterId = 0n, limit }) {
    if (isInNoName(filter.nameFolded)) return pageOf([], limit);
    const count = hasOthers(filter) ? LOOKED_AT_FIRST_APART : LOOKED_AT_FIRST;
    const first = endOf(count, afterId, filter);
    const found = lookThrough(filter, afterId, first ?? INT64_MAX, limit + 1);
    if (first === undefined || found.length > limit) return pageOf(found, limit);
    let from = first;
    for (const budget of BUDGETS) {
      const { end, find } = wayFrom(from, filter, budget);
      found.push(...find(limit + 1 - found.length));
      if (end === undefined || found.length > limit || end >= newestId()) {
        return pageOf(found, limit);
      }
      from = end;
    }
    return { items: found, more: true, resumeAfter: from };
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
