import { createHash } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from 248 up are drawn again, so that each of the 62 characters is equally likely. */
const UNBIASED_BYTES = 4 * BASE62.length;

/** Returns this number of random bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/** The random bytes of the operating system. */
export const secureRandomBytes: RandomBytes = (count) =>
  crypto.getRandomValues(new Uint8Array(count));

/** Returns a text of random base62 characters, 5.95 bits each. */
export function randomText(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_BYTES) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text;
}

/**
 * Returns the SHA-256 of a key in hexadecimal, the only form in which a key is stored. A key has 190
 * random bits, so it needs no salt and no slow hash. Keys are looked up by their hash, and nobody
 * can craft a hash close to another, so lookup time reveals nothing useful.
 */
export function hashKey(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** Number of characters of a hash that tell keys apart where a false match does no harm. */
export const HASH_PREFIX_LENGTH = 16;

/** The length of a key for AES-256. */
const KEY_BYTES = 32;
const KEY_ID_DIGITS = 8;

/** Stored secrets that are encrypted start with this. */
export const ENCRYPTED_MARK = 'aes256gcm:';
/** The characters of a stored secret that say which key encrypted it. */
export const KEY_MARK_LENGTH = ENCRYPTED_MARK.length + KEY_ID_DIGITS + 1;

/** Reads a key of 32 bytes from base64, base64url or hex. Returns undefined for any other text. */
export function secretKeyFromText(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : undefined;
}

/**
 * Returns the start of everything that a key encrypts: the mark, and an id of the key, which is eight digits of a hash
 * and reveals nothing useful about a random key.
 */
export function keyMark(key: Uint8Array): string {
  const hash = createHash('sha256').update('petstore secret key id').update(key);
  return `${ENCRYPTED_MARK}${hash.digest('hex').slice(0, KEY_ID_DIGITS)}:`;
}
