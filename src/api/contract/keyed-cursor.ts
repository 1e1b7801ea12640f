import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { invalidCursor } from './list-page.ts';

/** Leaves room for the longest name. */
const CURSOR_LENGTH_MAX = 4_096;
/** 22 characters of base64url are 16 bytes, of which 8 are the checksum. */
const CHECKSUM_BYTES = 8;

/** The start of a page of a list that is not sorted by id, from the `Link` header of the previous page. */
export const keyedCursorInQuery = z
  .string()
  .optional()
  .meta({
    description:
      'Where the page starts. Opaque: take it from the `rel="next"` link of the previous page.',
    minLength: 12,
    maxLength: CURSOR_LENGTH_MAX,
    pattern: '^[A-Za-z0-9_-]+$',
    param: { example: 'q1Qk0Zr5Xb8yMDc4MCAyOCA1Nw' },
  });

const checksumOf = (text: string, list: string) =>
  Buffer.from(Bun.SHA256.hash(`${list}\n${text}`, 'hex'), 'hex').subarray(0, CHECKSUM_BYTES);

/** Returns a cursor with a text, for a list that is named with its filters. */
export function sealCursor(text: string, list: string): string {
  return Buffer.concat([checksumOf(text, list), Buffer.from(text)]).toString('base64url');
}

/** Returns the text in a cursor of this list. Throws `invalid_cursor` for any other text. */
export function openCursor(cursor: string, list: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(CHECKSUM_BYTES).toString();
  const expected = Buffer.from(sealCursor(text, list));
  const given = Buffer.from(cursor);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return text;
  throw invalidCursor();
}
