import type { Database } from 'bun:sqlite';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import { trigramsOf } from '../name-part.ts';

/**
 * New animals enter the index this many at once: one by one they would cost 16 µs each instead of
 * 1.3, half as much again as the rest of an insert.
 */
const BEHIND_MAX = 1_024n;
/**
 * Pages of the index, of 4 KB, that one step of merging writes: about 2 ms. There is a step with every
 * BEHIND_MAX animals, whose own piece has 5 or 6 pages, so under load there are some 20 pieces.
 */
const MERGED_PAGES = 16;
/**
 * When so many times the animals are in the index that were when it was merged into one piece, it
 * is again. Until then pieces of a size are merged: a few small ones stand beside the large one.
 */
const GROWTH = 1.25;
/** Animals in one transaction when a whole database is indexed: about 50 ms. */
const CHUNK = 50_000n;
/** A part with more trigrams is looked for by the first of them; what is found is compared. */
const TRIGRAMS_MAX = 8;

/**
 * Which animals may have a part in their names, by the trigrams of the names: the virtual table
 * derived_pet_names. It holds the animals up to an id and no newer ones.
 */
export interface NameIndex {
  /** Takes note of an animal that was added, inside the transaction. */
  noteAdded(id: bigint): void;
  /** The last animal that the index holds. */
  indexedTo(): bigint;
  /**
   * Merges a little, if new animals have come since there was nothing to merge: they enter the index
   * as pieces of their own. Each piece costs a search 5 to 15 µs, and there may be 20 of them.
   */
  tidy(write: (work: () => boolean) => MaybePromise<boolean>): Promise<void>;
}

/** The index of a database. */
export function createNameIndex(database: Database): NameIndex {
  const state = database.query<{ id: bigint }, []>(
    'SELECT indexed_to AS id FROM derived_pet_names_state',
  );
  const { catchUp, mergePages } = writersOf(database);
  const indexedTo = () => state.get()?.id ?? 0n;
  let next = indexedTo() + BEHIND_MAX;
  const merge = createMerge(database, mergePages);
  let isMergeDue = true;

  return {
    noteAdded(id) {
      if (id < next) return;
      catchUp(id);
      mergePages(MERGED_PAGES);
      next = id + BEHIND_MAX;
      isMergeDue = true;
    },
    indexedTo,
    async tidy(write) {
      if (!isMergeDue) return;
      // One that fails waits until more have come.
      isMergeDue = false;
      if (await write(merge)) isMergeDue = true;
    },
  };
}

/** Merges a little, and says whether that found anything to do. */
function createMerge(database: Database, mergePages: (pages: number) => void): () => boolean {
  const startWhole = database.query<null, []>(
    `UPDATE derived_pet_names_state SET merged_to = indexed_to
     WHERE indexed_to > merged_to * ${GROWTH}`,
  );
  const changes = database.query<{ n: bigint }, []>('SELECT total_changes() AS n');
  const changed = () => changes.get()?.n ?? 0n;

  return () => {
    const isWhole = startWhole.run().changes > 0;
    const before = changed();
    // What is negative begins with all pieces, and what is not goes on (sqlite.org/fts5.html).
    mergePages(isWhole ? -MERGED_PAGES : MERGED_PAGES);
    // The statement itself counts as one change.
    return changed() - before > 1n || isWhole;
  };
}

/** Indexes a database that is far behind: one from before there was an index, or a copied one. */
export function indexNames(database: Database): void {
  const { catchUp, nextChunk, mergePages } = writersOf(database);
  const step = database.transaction(() => {
    const last = nextChunk();
    if (last === undefined) return false;
    catchUp(last);
    mergePages(MERGED_PAGES * Number(CHUNK / BEHIND_MAX));
    return true;
  });
  while (nextChunk() !== undefined && step.immediate());
}

/** Empties the index, before all animals are removed: else it would forget each by itself. */
export function forgetNames(database: Database): void {
  database.run("INSERT INTO derived_pet_names (derived_pet_names) VALUES ('delete-all')");
  database.run('UPDATE derived_pet_names_state SET indexed_to = 0, merged_to = 0');
}

function writersOf(database: Database) {
  const add = database.query<null, [bigint]>(
    `INSERT INTO derived_pet_names (rowid, name_folded)
     SELECT id, name_folded FROM pets
     WHERE id > (SELECT indexed_to FROM derived_pet_names_state) AND id <= ?`,
  );
  const move = database.query<null, [bigint]>(
    'UPDATE derived_pet_names_state SET indexed_to = max(indexed_to, ?)',
  );
  const behind = database.query<{ last: bigint | null; animals: bigint }, [bigint]>(
    `SELECT max(id) AS last, count(*) AS animals FROM (
       SELECT id FROM pets WHERE id > (SELECT indexed_to FROM derived_pet_names_state)
       ORDER BY id LIMIT ?
     )`,
  );
  const merge = database.query<null, [number]>(
    "INSERT INTO derived_pet_names (derived_pet_names, rank) VALUES ('merge', ?)",
  );
  return {
    /** Writes so many pages of pieces that are merged; below 0 it begins with all of them. */
    mergePages: (pages: number) => void merge.run(pages),
    catchUp(id: bigint): void {
      add.run(id);
      move.run(id);
    },
    /** The last animal of the next chunk; undefined where too few are left to matter. */
    nextChunk(): bigint | undefined {
      const row = behind.get(CHUNK);
      return row === null || row.last === null || row.animals < BEHIND_MAX ? undefined : row.last;
    },
  };
}

/** Queries of the full-text index, one for each trigram of a part; none for a part without any. */
export function matchesOf(part: string): readonly string[] {
  return trigramsOf(part)
    .slice(0, TRIGRAMS_MAX)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
}
