import { createHash } from 'node:crypto';
import { secureRandomBytes } from './secrets.ts';

/** Bytes of the secret that signs forms. */
const SECRET_BYTES = 32;

/** Returns a secret for the forms of a shop, in hexadecimal. */
export function newFormSecret(): string {
  return Buffer.from(secureRandomBytes(SECRET_BYTES)).toString('hex');
}

/**
 * Returns the id of the shop with this secret. It follows from the secret, which is made once and goes wherever the
 * data goes, and says nothing about it. A UUID of version 8 (RFC 9562).
 */
export function shopIdOf(formSecret: string): string {
  const bytes = createHash('sha256').update(`shop id ${formSecret}`).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
