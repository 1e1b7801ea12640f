import { Failure } from '../domain/failure.ts';

/** The Structured Fields string of draft-ietf-httpapi-idempotency-key-header (RFC 9651, 3.3.3). */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** What clients really send: the key without quotes. */
const BARE = /^[\x21\x23-\x7e]+$/;
const LENGTH_MAX = 255;

/**
 * Reads an Idempotency-Key field; undefined where there is none. Quoted and bare are the same key.
 * Throws `invalid_idempotency_key` for anything but 1 to 255 characters of ASCII.
 */
export function readIdempotencyKey(field: string | null): string | undefined {
  if (field === null) return undefined;
  const quoted = QUOTED.exec(field)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(field) ? field : '');
  if (key.length >= 1 && key.length <= LENGTH_MAX) return key;
  throw new Failure(
    'invalid_idempotency_key',
    `Idempotency-Key must be given once, with 1 to ${LENGTH_MAX} characters of ASCII, such as a UUID.`,
  );
}
