import type { Database } from 'bun:sqlite';
import { trigramsOf } from '../name-part.ts';

/**
 * Number of new animals that enter the index together: 1.3 µs each. One by one they would cost 16 µs
 * each, half as much again as the rest of an insert.
 */
const BEHIND_MAX = 1_024n;
/** The same in characters: long names in many scripts have ten times as many trigrams. */
const CHARACTERS_BEHIND_MAX = 16_384;
/**
 * Index pages of 4 KB that one merge step writes: about 2 ms. FTS5's own merging is off: it waits for
 * 64 pages and then merges as many of each of its levels, so one addition in 11,000 took 20 to 150 ms. Each BEHIND_MAX new animals add a piece
 * of 5 or 6 pages and run one step, so under load there are about 20 pieces.
 */
const MERGED_PAGES = 16;
/**
 * Merge everything again once the index has grown by this factor since the last full merge. Until
 * then only pieces of similar size are merged: a few small ones stay beside the large one.
 */
const GROWTH = 1.25;
/** Animals per transaction when a whole database is indexed: about 50 ms. */
const CHUNK = 50_000n;
/** A longer part is looked up by its first trigrams only; the names found are compared with it. */
const TRIGRAMS_MAX = 8;

/** The index of a database. */
export type NameIndex = ReturnType<typeof createNameIndex>;

/**
 * Creates the trigram index of names: the virtual table derived_pet_names. It holds the animals up to
 * an id and no newer ones.
 */
export function createNameIndex(database: Database) {
  const state = database.query<{ id: bigint }, []>(
    'SELECT indexed_to AS id FROM derived_pet_names_state',
  );
  const { catchUp, mergePages } = writersOf(database);
  const indexedTo = () => state.get()?.id ?? 0n;
  let next = indexedTo() + BEHIND_MAX;
  let charactersBehind = 0;
  const merge = createMerge(database, mergePages);
  let isMergeDue = true;

  return {
    /** Registers a new animal, inside its transaction. */
    noteAdded(id: bigint, nameFolded: string): void {
      charactersBehind += nameFolded.length;
      if (id < next && charactersBehind < CHARACTERS_BEHIND_MAX) return;
      charactersBehind = 0;
      catchUp(id);
      mergePages(MERGED_PAGES);
      next = id + BEHIND_MAX;
      isMergeDue = true;
    },
    /** The id of the newest animal in the index. */
    indexedTo,
    /**
     * Runs one merge step if new animals have been added since there was nothing to merge. Each piece
     * of the index costs a search 5 to 15 µs, and there may be 20 of them.
     */
    async optimize(write: (work: () => boolean) => Promise<boolean>): Promise<void> {
      if (!isMergeDue) return;
      // If it fails, it runs again after the next animals.
      isMergeDue = false;
      if (await write(merge)) isMergeDue = true;
    },
  };
}

/** Returns a function that runs one merge step and returns whether there was anything to merge. */
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
    // A negative number starts a full merge, a positive one continues it (sqlite.org/fts5.html).
    mergePages(isWhole ? -MERGED_PAGES : MERGED_PAGES);
    // The statement itself counts as one change.
    return changed() - before > 1n || isWhole;
  };
}

/** Indexes a database that is far behind, such as a copy. */
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

/** Empties the index before all animals are removed: removing them one by one would be slow. */
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
       ORDER BY id LIMIT +?
     )`,
  );
  const merge = database.query<null, [number]>(
    "INSERT INTO derived_pet_names (derived_pet_names, rank) VALUES ('merge', ?)",
  );
  return {
    /** Writes up to this many merged pages; a negative number starts a full merge. */
    mergePages: (pages: number) => void merge.run(pages),
    catchUp(id: bigint): void {
      add.run(id);
      move.run(id);
    },
    /** The last animal of the next chunk; undefined if too few are left to matter. */
    nextChunk(): bigint | undefined {
      const row = behind.get(CHUNK);
      return row === null || row.last === null || row.animals < BEHIND_MAX ? undefined : row.last;
    },
  };
}

/** Returns one full-text query for each trigram of a part; none if the part is too short. */
export function matchesOf(part: string): readonly string[] {
  return trigramsOf(part)
    .slice(0, TRIGRAMS_MAX)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
}
