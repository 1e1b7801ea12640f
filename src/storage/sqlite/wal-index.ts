import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { readFileSync, realpathSync } from 'node:fs';

/** The header of SQLite's WAL index, which tells of commits and checkpoints without a lock. */
export interface WalIndex {
  /** Returns a function that says whether any process has committed since its last call. */
  watchCommits(): () => boolean;
  /** Returns a text that changes with each checkpoint, while one is under way, and when the log starts again. */
  checkpoints(): string;
}

/** The words that differ after a commit: number of commits, last frame, checksums and salts. */
const COMMIT_WORDS = [2, 4, 6, 7, 8, 9, 10, 11];
/** Two copies of the header, and what is known of checkpoints. */
const READ_BYTES = 136;
/** The frames that a checkpoint has written to the database, and is about to write; and the salts of the log. */
const CHECKPOINT_WORDS = [24, 32, 8, 9];
/** SQLite's version number of the layout that is read here. */
const KNOWN_VERSION = 3_007_000;

/** An entry of /proc/self/maps: address, rights, offset 0, device, inode, path. */
const MAPPING = /^([0-9a-f]+)-[0-9a-f]+ r\S* 0+ \S+ \d+ +(.*)$/;

/**
 * Finds the header in the memory where SQLite maps it (https://sqlite.org/walformat.html#walidxfmt).
 * The database must be open and have been read in WAL mode at least once. Do not use it after the
 * connection is closed: the memory is unmapped. Returns undefined for a database in memory, and on
 * systems without /proc.
 *
 * The index file is never opened a second time: closing a file releases all locks that this process
 * holds on it (POSIX, fcntl), those of SQLite too.
 */
export function findWalIndex(path: string): WalIndex | undefined {
  const address = addressOf(path);
  if (address === undefined) return undefined;
  // An address of /proc/self/maps is a pointer by definition.
  const words = new Uint32Array(toArrayBuffer(address as Pointer, 0, READ_BYTES));
  if (words[0] !== KNOWN_VERSION) return undefined;
  return {
    watchCommits() {
      const noted = new Uint32Array(words.length);
      // A header that another process is writing is noted half-written, so it differs when it is whole.
      return () => {
        // An ordinary read may be stale.
        if (COMMIT_WORDS.every((word) => Atomics.load(words, word) === noted[word])) return false;
        noted.set(words);
        return true;
      };
    },
    checkpoints() {
      const [done, begun, ...salts] = CHECKPOINT_WORDS.map((word) => Atomics.load(words, word));
      // While one is under way, every result differs.
      return [done, begun, ...salts, begun !== done && performance.now()].join();
    },
  };
}

function addressOf(path: string): number | undefined {
  if (path === ':memory:' || process.platform !== 'linux') return undefined;
  try {
    const name = `${realpathSync(path)}-shm`;
    for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
      const [, start = '', mapped] = MAPPING.exec(line) ?? [];
      if (mapped === name) return Number.parseInt(start, 16);
    }
  } catch {
    // Without /proc, nothing is known of checkpoints.
  }
  return undefined;
}
