import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { readFileSync, realpathSync } from 'node:fs';

/** The first copy of the header of SQLite's WAL index, where this process has it in memory. */
export interface WalIndexHeader {
  /** Whether it differs from when this was asked last: after every commit of every process. */
  hasChanged(): boolean;
}

const HEADER_BYTES = 48;
/** The words that differ after a commit: number of commits, last frame, checksums and salts. */
const TELLING = [2, 4, 6, 7, 8, 9, 10, 11];
/** What SQLite calls the layout that is read here. */
const KNOWN_VERSION = 3_007_000;

/** An entry of /proc/self/maps: address, rights, offset 0, device, inode, path. */
const MAPPING = /^([0-9a-f]+)-[0-9a-f]+ r\S* 0+ \S+ \d+ +(.*)$/;

/**
 * Finds the header of an open database, which must have been read in WAL mode at least once, in the
 * memory where SQLite itself holds it (https://sqlite.org/walformat.html#walidxfmt). It must not be
 * read after the connection is closed: the memory goes with it. Undefined where there is none to be
 * found: a database in memory, or a system without /proc.
 *
 * The index is never opened a second time: to close a file ends all locks that this process has on
 * it (POSIX, fcntl), those of SQLite too.
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
    // Without /proc SQLite is asked, which is slower.
  }
  return undefined;
}

/**
 * Another process may be writing meanwhile: half of a header differs from the whole, so it is seen
 * again. `Atomics` keep the processor from reading ahead of what that process has told us.
 */
function createHeader(words: Uint32Array<ArrayBuffer>): WalIndexHeader {
  const noted = new Uint32Array(words.length);

  function hasChanged(): boolean {
    for (const word of TELLING) {
      if (Atomics.load(words, word) === noted[word]) continue;
      noted.set(words);
      return true;
    }
    return false;
  }

  return { hasChanged };
}
