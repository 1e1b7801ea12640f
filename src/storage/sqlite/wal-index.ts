import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { readFileSync, realpathSync } from 'node:fs';

/** The first copy of the header of SQLite's WAL index, in the memory of this process. */
export interface WalIndexHeader {
  /** Compares with the last call. Every commit of every process is a change. */
  hasChanged(): boolean;
  /** The number of commits, modulo 2^32. */
  commits(): number;
  /** The number of pages in the log. */
  pages(): number;
  /**
   * Notes the header for the next `hasChanged`, if it is that of the only commit after `commits`
   * returned `before`. Returns whether it is.
   */
  noteCommitAfter(before: number): boolean;
}

const HEADER_BYTES = 48;
/** The words that differ after a commit: number of commits, last frame, checksums and salts. */
const COMMITS_WORD = 2;
const LAST_FRAME_WORD = 4;
const COMMIT_WORDS = [COMMITS_WORD, LAST_FRAME_WORD, 6, 7, 8, 9, 10, 11];
/** SQLite's version number of the layout that is read here. */
const KNOWN_VERSION = 3_007_000;

/** An entry of /proc/self/maps: address, rights, offset 0, device, inode, path. */
const MAPPING = /^([0-9a-f]+)-[0-9a-f]+ r\S* 0+ \S+ \d+ +(.*)$/;

/**
 * Finds the header in the memory where SQLite maps it (https://sqlite.org/walformat.html#walidxfmt).
 * The database must be open and have been read in WAL mode at least once. Do not read the header
 * after the connection is closed: the memory is unmapped. Returns undefined if there is none: for a
 * database in memory, or without /proc.
 *
 * The index file is never opened a second time: closing a file releases all locks that this process
 * holds on it (POSIX, fcntl), those of SQLite too.
 */
export function findWalIndexHeader(path: string): WalIndexHeader | undefined {
  const address = addressOf(path);
  if (address === undefined) return undefined;
  // An address of /proc/self/maps is a pointer by definition.
  const words = new Uint32Array(toArrayBuffer(address as Pointer, 0, HEADER_BYTES));
  return words[0] === KNOWN_VERSION ? createHeader(words) : undefined;
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
    // Without /proc the version is queried from SQLite, which is slower.
  }
  return undefined;
}

/**
 * Another process may be writing the header: a half-written header differs from the whole one, so the
 * next call sees a change again. `Atomics` prevent stale and reordered reads.
 */
function createHeader(words: Uint32Array<ArrayBuffer>): WalIndexHeader {
  const noted = new Uint32Array(words.length);

  function hasChanged(): boolean {
    for (const word of COMMIT_WORDS) {
      if (Atomics.load(words, word) === noted[word]) continue;
      noted.set(words);
      return true;
    }
    return false;
  }

  const commits = () => Atomics.load(words, COMMITS_WORD);

  const pages = () => Atomics.load(words, LAST_FRAME_WORD);

  /** A header that another process is writing is noted half-written, so it differs when it is whole. */
  function noteCommitAfter(before: number): boolean {
    const header = words.slice();
    if (header[COMMITS_WORD] !== (before + 1) >>> 0) return false;
    noted.set(header);
    return true;
  }

  return { hasChanged, commits, pages, noteCommitAfter };
}
