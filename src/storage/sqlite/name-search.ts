import type { Database } from 'bun:sqlite';
import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import { hasOthers, isInNoName, LOOKED_AT_FIRST, type NameFilter } from '../name-part.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import { matchesOf, type NameIndex } from './name-index.ts';
import { type Bindable, conditionsAfter } from './pet-conditions.ts';

/** Animals that a page scans first when the filter has other conditions: matches lie far apart. */
const LOOKED_AT_FIRST_FILTERED = 100;
/**
 * Animals that a page may read one by one from the index: at first a few, which fill most pages,
 * then as many as take about 10 ms.
 */
const BUDGETS = [200, 4_800];
/** Animals scanned in id order in the time of reading one by its id: 50,000 for a page. */
const SCANNED_PER_READ = 10;
/** Animals checked in an index with the category in the time of reading one by its id. */
const CHECKED_PER_READ = 10n;

/** One step of a search: reads a bounded number of the animals above an id. */
interface Step {
  /** The last animal that it reaches; undefined if it reaches all. */
  readonly end: bigint | undefined;
  find(limit: number): Pet[];
}

/** Reads animals in id order and compares their names. */
interface Scan {
  /** Returns the animals that match above one id, up to another. */
  between(filter: NameFilter, from: bigint, to: bigint, limit: number): Pet[];
  /** Returns the id at which a scan of `count` animals ends; undefined if fewer are left. */
  endOf(count: number, afterId: bigint, filter: NameFilter): bigint | undefined;
  step(filter: NameFilter, from: bigint, budget: number): Step;
}

/** Returns a step that reads candidates from the index; undefined if the index cannot help. */
type Lookup = (filter: NameFilter, from: bigint, budget: number) => Step | undefined;

/**
 * Lists animals by a part of their names. Rare parts are looked up in the index; for the others,
 * animals are scanned in id order. Either way a page reads a bounded number of animals: if it ends
 * there, it returns what it found, and the next page continues.
 */
export function createNameSearch(
  database: Database,
  index: NameIndex,
): (filter: NameFilter, page: PageRequest) => Page<Pet> {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM pets');
  const newestId = () => newest.get()?.id ?? 0n;
  const scan = createScan(database);
  const lookUp = createLookup(database, index, scan);

  /** Returns the step that reaches further for its cost. */
  function stepFrom(from: bigint, filter: NameFilter, budget: number): Step {
    const indexed = lookUp(filter, from, budget);
    if (indexed !== undefined && indexed.end === undefined) return indexed;
    const scanned = scan.step(filter, from, budget);
    if (indexed?.end === undefined || scanned.end === undefined) return scanned;
    const cheaper = filter.categoryId === undefined ? 1n : CHECKED_PER_READ;
    return (indexed.end - from) * cheaper > scanned.end - from ? indexed : scanned;
  }

  return function search(filter, { afterId = 0n, limit }) {
    if (isInNoName(filter.nameFolded)) return pageOf([], limit);
    const count = hasOthers(filter) ? LOOKED_AT_FIRST_FILTERED : LOOKED_AT_FIRST;
    const first = scan.endOf(count, afterId, filter);
    const found = scan.between(filter, afterId, first ?? INT64_MAX, limit + 1);
    if (first === undefined || found.length > limit) return pageOf(found, limit);
    let from = first;
    for (const budget of BUDGETS) {
      const { end, find } = stepFrom(from, filter, budget);
      found.push(...find(limit + 1 - found.length));
      if (end === undefined || found.length > limit || end >= newestId()) {
        return pageOf(found, limit);
      }
      from = end;
    }
    return { items: found, more: true, resumeAfter: from };
  };
}

function createScan(database: Database): Scan {
  function between(filter: NameFilter, from: bigint, to: bigint, limit: number): Pet[] {
    const { where, values } = conditionsAfter(from, filter);
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} AND id <= ? ORDER BY id LIMIT ?`;
    return database.query<Pet, Bindable[]>(sql).all(...values, to, limit);
  }

  function endOf(count: number, afterId: bigint, { nameFolded: _, ...filter }: NameFilter) {
    // Without other conditions every id counts, so nothing has to be read.
    if (!hasOthers(filter)) return afterId + BigInt(count);
    const { where, values } = conditionsAfter(afterId, filter);
    const sql = `SELECT id FROM pets WHERE ${where} ORDER BY id LIMIT 1 OFFSET ?`;
    return database.query<{ id: bigint }, Bindable[]>(sql).get(...values, count - 1)?.id;
  }

  return {
    between,
    endOf,
    step(filter, from, budget) {
      const end = endOf(hasOthers(filter) ? budget : budget * SCANNED_PER_READ, from, filter);
      return { end, find: (limit) => between(filter, from, end ?? INT64_MAX, limit) };
    },
  };
}

function createLookup(database: Database, index: NameIndex, scan: Scan): Lookup {
  const entry = database.query<{ id: bigint }, [string, bigint, bigint, number]>(
    `SELECT rowid AS id FROM derived_pet_names
     WHERE derived_pet_names MATCH ? AND rowid > ? AND rowid <= ? LIMIT 1 OFFSET ?`,
  );

  /** Returns the animals above one id, up to another, that match in the index and pass the filter. */
  function between(match: string, filter: NameFilter, from: bigint, to: bigint, limit: number) {
    const { where, values } = conditionsAfter(from, filter);
    // CROSS JOIN: the index first, which gives ids in order, then each animal by its id.
    const sql = `SELECT ${PET_COLUMNS} FROM (
        SELECT rowid AS candidate FROM derived_pet_names
        WHERE derived_pet_names MATCH ? AND rowid > ? AND rowid <= ?
      ) CROSS JOIN pets ${indexFor(filter)} ON id = candidate
      WHERE ${where} ORDER BY candidate LIMIT ?`;
    return database.query<Pet, Bindable[]>(sql).all(match, from, to, ...values, limit);
  }

  /**
   * Returns the query of the index, and how far it reaches: animals with all the trigrams that are
   * rare from here on, or with the rarest. Two long lists are never intersected, because FTS5 would
   * read on until it finds an animal in both, however far away that is.
   */
  function matchFor(part: string, from: bigint, to: bigint, budget: number) {
    const rare: string[] = [];
    let rarest: { readonly match: string; readonly end: bigint } | undefined;
    for (const match of matchesOf(part)) {
      const end = entry.get(match, from, to, budget - 1)?.id;
      if (end === undefined) rare.push(match);
      else if (rarest === undefined || end > rarest.end) rarest = { match, end };
    }
    return rare.length === 0 ? rarest : { match: rare.join(' AND '), end: undefined };
  }

  return (filter, from, budget) => {
    // Read once: another process may move it on between two statements.
    const indexedTo = index.indexedTo();
    if (from >= indexedTo) return undefined;
    const best = matchFor(filter.nameFolded, from, indexedTo, budget);
    if (best === undefined) return undefined;
    const { match, end } = best;
    return {
      end,
      find(limit) {
        const found = between(match, filter, from, end ?? indexedTo, limit);
        if (end !== undefined || found.length === limit) return found;
        // The newest animals are not in the index yet.
        return [...found, ...scan.between(filter, indexedTo, INT64_MAX, limit - found.length)];
      },
    };
  };
}

/**
 * Returns the index in which to check the other conditions: neighbouring entries lie close together,
 * and most animals that fail are never read. By itself SQLite would choose the table.
 */
function indexFor({ status, categoryId }: PetFilter): string {
  if (categoryId === undefined) return '';
  return `INDEXED BY pets_by_category${status === undefined ? '' : '_and_status'}`;
}
