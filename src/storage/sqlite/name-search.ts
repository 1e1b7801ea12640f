import type { Database } from 'bun:sqlite';
import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import { FIRST_SCAN_ROWS, hasOthers, idAfter, indexedPart, type NameFilter } from '../name-part.ts';
import { PET_COLUMNS } from '../records/pets.ts';
import { matchesOf, type NameIndex } from './name-index.ts';
import { type Bindable, conditionsAfter } from './pet-conditions.ts';

/** Animals that a page scans first when the filter has other conditions: matches lie far apart. */
const FIRST_SCAN_ROWS_FILTERED = 100;
/**
 * Animals that a page may read one by one from the index: at first a few, which fill most pages, then
 * as many as take about 4 ms. That is 20 times as long as most requests take, and a plan counts requests.
 */
const BUDGETS = [200, 1_800];
/** Animals scanned in id order in the time of reading one by its id: 20,000 for a page. */
const SCANNED_PER_READ = 10;
/** Animals checked in an index with the category in the time of reading one by its id. */
const CHECKED_PER_READ = 10n;

/**
 * Rows scanned between two readings of the clock, and the time after which a page ends early. Names that
 * fold to more code points than they have make rows of 2 KB, which take ten times as long to compare.
 */
const SLICE_ROWS = 500;
const PAGE_MS = 5;

/** The processor time of this thread, in milliseconds: a busy machine must not shorten pages. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** What a step found, and the last animal that it read; undefined if it read all. */
interface Found {
  readonly pets: readonly Pet[];
  readonly end: bigint | undefined;
}

/** One step of a search: reads a bounded number of the animals above an id. */
interface Step {
  /** The last animal that it reaches if time allows; undefined if it reaches all. */
  readonly end: bigint | undefined;
  /** Ends early when the clock has passed `endsAt`. */
  find(limit: number, endsAt: number): Found;
}

/** Reads animals in id order and compares their names. */
interface Scan {
  /** Returns the animals that match above one id, up to another. */
  between(filter: NameFilter, from: bigint, to: bigint, limit: number): Pet[];
  step(filter: NameFilter, from: bigint, count: number): Step;
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
  clock: () => number = processorMs,
): (filter: NameFilter, page: PageRequest) => Page<Pet> {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM pets');
  const newestId = () => newest.get()?.id ?? 0n;
  const scan = createScan(database, clock);
  const lookUp = createLookup(database, index, scan);

  /** Returns the step that reaches further for its cost. */
  function stepFrom(from: bigint, filter: NameFilter, budget: number): Step {
    const indexed = lookUp(filter, from, budget);
    if (indexed !== undefined && indexed.end === undefined) return indexed;
    const count = hasOthers(filter) ? budget : budget * SCANNED_PER_READ;
    const scanned = scan.step(filter, from, count);
    if (indexed?.end === undefined || scanned.end === undefined) return scanned;
    const cheaper = filter.categoryId === undefined ? 1n : CHECKED_PER_READ;
    return (indexed.end - from) * cheaper > scanned.end - from ? indexed : scanned;
  }

  function firstStepFrom(from: bigint, filter: NameFilter): Step {
    const count = hasOthers(filter) ? FIRST_SCAN_ROWS_FILTERED : FIRST_SCAN_ROWS;
    return scan.step(filter, from, count);
  }

  return function search(filter, { afterId = 0n, limit }) {
    // The full-text index takes no NUL, and no name has one.
    if (filter.nameFolded.includes('\0')) return pageOf([], limit);
    const endsAt = clock() + PAGE_MS;
    const found: Pet[] = [];
    let from = afterId;
    for (const budget of [undefined, ...BUDGETS]) {
      const step =
        budget === undefined ? firstStepFrom(from, filter) : stepFrom(from, filter, budget);
      const { pets, end } = step.find(limit + 1 - found.length, endsAt);
      found.push(...pets);
      if (end === undefined || found.length > limit || end >= newestId()) {
        return pageOf(found, limit);
      }
      from = end;
      if (clock() > endsAt) break;
    }
    return { items: found, more: true, resumeAfter: from };
  };
}

function createScan(database: Database, clock: () => number): Scan {
  function between(filter: NameFilter, from: bigint, to: bigint, limit: number): Pet[] {
    const { where, values } = conditionsAfter(from, filter);
    const sql = `SELECT ${PET_COLUMNS} FROM pets WHERE ${where} AND id <= ? ORDER BY id LIMIT +?`;
    return database.query<Pet, Bindable[]>(sql).all(...values, to, limit);
  }

  function endOf(count: number, afterId: bigint, filter: NameFilter) {
    // Without other conditions every id counts, so nothing has to be read.
    if (!hasOthers(filter)) return idAfter(afterId, count);
    const { where, values } = conditionsAfter(afterId, indexedPart(filter));
    const sql = `SELECT id FROM pets WHERE ${where} ORDER BY id LIMIT 1 OFFSET +?`;
    return database.query<{ id: bigint }, Bindable[]>(sql).get(...values, count - 1)?.id;
  }

  /** Scans up to `end` in slices, until there are enough animals or time is up. */
  function findTo(
    { filter, from, end }: { filter: NameFilter; from: bigint; end: bigint | undefined },
    limit: number,
    endsAt: number,
  ): Found {
    const last = end ?? INT64_MAX;
    const pets: Pet[] = [];
    for (let at = from; ; ) {
      const slice = endOf(SLICE_ROWS, at, filter) ?? INT64_MAX;
      const to = slice < last ? slice : last;
      pets.push(...between(filter, at, to, limit - pets.length));
      if (to >= last || pets.length >= limit) return { pets, end };
      if (clock() > endsAt) return { pets, end: to };
      at = to;
    }
  }

  return {
    between,
    step(filter, from, count) {
      const end = endOf(count, from, filter);
      return { end, find: (limit, endsAt) => findTo({ filter, from, end }, limit, endsAt) };
    },
  };
}

function createLookup(database: Database, index: NameIndex, scan: Scan): Lookup {
  const entry = database.query<{ id: bigint }, [string, bigint, bigint, number]>(
    `SELECT rowid AS id FROM derived_pet_names
     WHERE derived_pet_names MATCH ? AND rowid > ? AND rowid <= ? LIMIT 1 OFFSET +?`,
  );

  /** Returns the animals above one id, up to another, that match in the index and pass the filter. */
  function between(match: string, filter: NameFilter, from: bigint, to: bigint, limit: number) {
    const { where, values } = conditionsAfter(from, filter);
    // CROSS JOIN: the index first, which gives ids in order, then each animal by its id.
    const sql = `SELECT ${PET_COLUMNS} FROM (
        SELECT rowid AS candidate FROM derived_pet_names
        WHERE derived_pet_names MATCH ? AND rowid > ? AND rowid <= ?
      ) CROSS JOIN pets ${indexFor(filter)} ON id = candidate
      WHERE ${where} ORDER BY candidate LIMIT +?`;
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
        const pets = between(match, filter, from, end ?? indexedTo, limit);
        if (end !== undefined || pets.length === limit) return { pets, end };
        // The newest animals are not in the index yet.
        const newest = scan.between(filter, indexedTo, INT64_MAX, limit - pets.length);
        return { pets: [...pets, ...newest], end };
      },
    };
  };
}

/**
 * Returns the index in which to check the other conditions: neighbouring entries lie close together,
 * and most animals that fail are never read. By itself SQLite would choose the table.
 */
function indexFor(filter: PetFilter): string {
  const { status, categoryId } = filter;
  if (categoryId === undefined) return '';
  return `INDEXED BY pets_by_category${status === undefined ? '' : '_and_status'}`;
}
