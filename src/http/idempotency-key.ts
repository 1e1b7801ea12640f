import { Failure } from '../domain/failure.ts';

/** The Structured Fields string of draft-ietf-httpapi-idempotency-key-header (RFC 9651, 3.3.3). */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** The key without quotes, as most clients send it. */
const BARE = /^[\x21\x23-\x7e]+$/;
const LENGTH_MAX = 255;

/**
 * Reads the Idempotency-Key header; undefined if absent. Quoted and bare forms are the same key.
 * Throws `invalid_idempotency_key` for anything but 1 to 255 ASCII characters.
 */
export function readIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (key.length >= 1 && key.length <= LENGTH_MAX) return key;
  throw new Failure(
    'invalid_idempotency_key',
    `Idempotency-Key must be given once, with 1 to ${LENGTH_MAX} characters of ASCII, such as a UUID.`,
  );
}
