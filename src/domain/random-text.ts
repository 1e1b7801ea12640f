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
