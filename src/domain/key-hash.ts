/**
 * Returns the SHA-256 of a key in hexadecimal, the only form in which a key is stored. A key has 190
 * random bits, so it needs no salt and no slow hash. Keys are looked up by their hash, and nobody
 * can craft a hash close to another, so lookup time reveals nothing useful.
 */
export function hashKey(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** Number of characters of a hash that tell keys apart where a false match does no harm. */
export const HASH_BEGINNING = 16;
