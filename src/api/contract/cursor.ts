import { timingSafeEqual } from 'node:crypto';
import { Failure } from '../../domain/failure.ts';

/** A cursor is the last id of a page and a check of it, in base64url. */
const ID_BYTES = 8;
const CURSOR_BYTES = 16;
/** What every cursor looks like. */
export const CURSOR_LENGTH = 22;
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]+$';

/**
 * The check binds a cursor to one list with its filters and makes an altered one unlikely to pass
 * (1 in 2^64). It keeps nothing secret: whoever forges a cursor gets a page that they may read
 * anyway. It depends on nothing but the list, so a cursor outlives restarts and serves on every
 * instance.
 */
function seal(afterId: bigint, list: string): Buffer {
  const fenced = Buffer.alloc(CURSOR_BYTES);
  fenced.writeBigInt64BE(afterId, 0);
  fenced.write(Bun.SHA256.hash(`${list}\n${afterId}`, 'hex'), ID_BYTES, 'hex');
  return fenced;
}

/** Makes the cursor of what follows `afterId` in a list; `list` names the list with its filters. */
export function encodeCursor(afterId: bigint, list: string): string {
  return seal(afterId, list).toString('base64url');
}

/** Reads a cursor that was made for this list. Throws `invalid_cursor` for any other text. */
export function decodeCursor(cursor: string, list: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === CURSOR_BYTES) {
    const afterId = bytes.readBigInt64BE(0);
    // Compared as text, since base64url has spare bits that decoding would not notice.
    const fenced = Buffer.from(encodeCursor(afterId, list));
    const given = Buffer.from(cursor);
    if (given.length === fenced.length && timingSafeEqual(given, fenced)) return afterId;
  }
  throw new Failure(
    'invalid_cursor',
    'cursor must be taken from the Link header of a page with the same filters; start again without it.',
  );
}
