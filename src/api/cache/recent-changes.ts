/** Changes are kept in blocks. A search skips a block if no id in it can be in the range. */
const BLOCK_LENGTH = 64;
const BLOCKS_MAX = 64;
/**
 * Changes that one search looks at closely: comparing more of them with a filter would cost more
 * than making the response again.
 */
const LOOKS_MAX = 200;

/** A range of ids; both ends belong to it. */
export interface IdRange {
  readonly lowestId: number;
  readonly highestId: number;
}

/** A change of a record. */
export interface RecordChange<T> {
  readonly id: number;
  /** The record after the change; undefined if it was removed. */
  readonly after: T | undefined;
}

/** The last few thousand changes of one kind, each with the version that it made. */
export interface RecentChanges<T> {
  add(version: number, change: RecordChange<T>): void;
  /** Drops all changes up to this version. */
  forget(version: number): void;
  /**
   * Returns whether any change after `version` in this range of ids passes the test; also true if
   * that is unknown or would cost too much to find out.
   */
  someAfter(version: number, range: IdRange, test: (change: RecordChange<T>) => boolean): boolean;
}

interface Block<T> {
  lowestId: number;
  highestId: number;
  readonly versions: number[];
  readonly changes: RecordChange<T>[];
}

/** Creates an empty list of changes. */
export function createRecentChanges<T>(): RecentChanges<T> {
  const blocks: Block<T>[] = [];
  /** The changes of this version and of those before it are not kept. */
  let forgotten = 0;

  function forget(version: number): void {
    blocks.length = 0;
    forgotten = version;
  }

  /** Returns the block for the next change. */
  function blockToFill(): Block<T> {
    const last = blocks.at(-1);
    if (last !== undefined && last.changes.length < BLOCK_LENGTH) return last;
    if (blocks.length === BLOCKS_MAX) forgotten = blocks.shift()?.versions.at(-1) ?? forgotten;
    const block = { lowestId: Infinity, highestId: -Infinity, versions: [], changes: [] };
    blocks.push(block);
    return block;
  }

  return {
    forget,
    add(version, change) {
      const block = blockToFill();
      block.lowestId = Math.min(block.lowestId, change.id);
      block.highestId = Math.max(block.highestId, change.id);
      block.versions.push(version);
      block.changes.push(change);
    },
    someAfter(version, { lowestId, highestId }, test) {
      if (version < forgotten) return true;
      let looks = 0;
      for (let b = blocks.length - 1; b >= 0; b--) {
        const block = blocks[b];
        if (block === undefined || (block.versions.at(-1) ?? 0) <= version) return false;
        if (block.highestId < lowestId || block.lowestId > highestId) continue;
        for (let i = block.changes.length - 1; i >= 0; i--) {
          if ((block.versions[i] ?? 0) <= version) return false;
          const change = block.changes[i];
          if (change === undefined || change.id < lowestId || change.id > highestId) continue;
          if (++looks > LOOKS_MAX || test(change)) return true;
        }
      }
      return false;
    },
  };
}
