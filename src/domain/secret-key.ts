import { createHash } from 'node:crypto';

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
 * Returns what everything starts with that a key encrypts: the mark and an id of the key, which is
 * eight digits of a hash and says nothing useful about a random key.
 */
export function keyMark(key: Uint8Array): string {
  const hash = createHash('sha256').update('petstore secret key id').update(key);
  return `${ENCRYPTED_MARK}${hash.digest('hex').slice(0, KEY_ID_DIGITS)}:`;
}
