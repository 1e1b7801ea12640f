import { timingSafeEqual } from 'node:crypto';
import { Failure } from '../../domain/failure.ts';

/** A cursor is the last id of a page and a checksum, in base64url. */
const ID_BYTES = 8;
const CURSOR_BYTES = 16;
export const CURSOR_LENGTH = 22;
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]+$';

/**
 * The checksum binds a cursor to a list with its filters; an altered cursor passes with a chance of
 * 1 in 2^64. It protects no secret: a forged cursor gives a page that the caller may read anyway.
 * It depends only on the list, so a cursor survives restarts and works on every instance.
 */
function withChecksum(afterId: bigint, list: string): Buffer {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.writeBigInt64BE(afterId, 0);
  bytes.write(Bun.SHA256.hash(`${list}\n${afterId}`, 'hex'), ID_BYTES, 'hex');
  return bytes;
}

/** Returns the cursor of what follows `afterId` in a list; `list` names it with its filters. */
export function encodeCursor(afterId: bigint, list: string): string {
  return withChecksum(afterId, list).toString('base64url');
}

/** Returns the id in a cursor of this list. Throws `invalid_cursor` for any other text. */
export function decodeCursor(cursor: string, list: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === CURSOR_BYTES) {
    const afterId = bytes.readBigInt64BE(0);
    // Compared as text, since decoding ignores the spare bits of base64url.
    const expected = Buffer.from(encodeCursor(afterId, list));
    const given = Buffer.from(cursor);
    if (given.length === expected.length && timingSafeEqual(given, expected)) return afterId;
  }
  throw new Failure(
    'invalid_cursor',
    'cursor must be taken from the Link header of a page with the same filters; start again without it.',
  );
}
