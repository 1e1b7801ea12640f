/** A power of two. The hashes of this many URLs take 128 KiB. */
const PLACES = 32_768;

/** Decides which URLs are worth caching. */
export interface Doorkeeper {
  /** Returns whether this URL came before, recently. */
  admits(url: string): boolean;
}

/**
 * Creates a doorkeeper that knows the last few tens of thousands of different URLs by their hashes:
 * each has one place, where a later URL replaces it. Two URLs with the same hash count as one, so a
 * URL may be admitted too early, which costs only memory.
 */
export function createDoorkeeper(): Doorkeeper {
  const hashes = new Uint32Array(PLACES);

  return {
    admits(url) {
      const hash = Bun.hash.xxHash32(url);
      const place = hash & (PLACES - 1);
      if (hashes[place] === hash) return true;
      hashes[place] = hash;
      return false;
    },
  };
}
