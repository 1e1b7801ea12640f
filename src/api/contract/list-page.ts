import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { Failure } from '../../domain/failure.ts';
import {
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type Page,
  type PageRequest,
} from '../../domain/page.ts';
import type { WritableJson } from '../../http/json.ts';
import { wholeInQuery } from './request-fields.ts';

/** A cursor is the last id of a page and a checksum, in base64url. */
const ID_BYTES = 8;
const CURSOR_BYTES = 16;
const CURSOR_LENGTH = 22;

/** The maximum number of items on a page. */
export const limitInQuery = wholeInQuery(
  'The largest number of items on a page.',
  [1, PAGE_LIMIT_MAX],
  PAGE_LIMIT_DEFAULT,
);

/** The schema of a page of a list: a bare array. */
export function pageOf<S extends z.ZodType>(item: S, id: string, description: string) {
  return z.lazy(() => z.array(item).max(PAGE_LIMIT_MAX).meta({ id, description }));
}

/** The start of a page, from the `Link` header of the previous page. */
const startInQuery = (minLength: number, maxLength: number, example: string) =>
  z.string().optional().meta({
    description:
      'Where the page starts. Opaque: take it from the `rel="next"` link of the previous page.',
    minLength,
    maxLength,
    pattern: '^[A-Za-z0-9_-]+$',
    param: { example },
  });
export const cursorInQuery = startInQuery(CURSOR_LENGTH, CURSOR_LENGTH, 'AAAAAAAAABxw0o6nqMtFJA');
/** The query of a list without filters. */
export const pageQuery = z.object({ limit: limitInQuery, cursor: cursorInQuery });
/** The same of a list that is not sorted by id. The longest has room for the longest name. */
export const keyedCursorInQuery = startInQuery(12, 4_096, 'q1Qk0Zr5Xb8yMDc4MCAyOCA1Nw');

/** The list that a request names. */
interface ListAddress {
  readonly baseUrl: string;
  /** Relative to the base address. */
  readonly path: string;
  /** The filters in a fixed order; undefined for those that are absent. */
  readonly filters?: Readonly<Record<string, string | undefined>>;
  readonly query: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
  /** The order if the filters name none, for a list with a choice of orders. */
  readonly defaultSort?: string;
  /** Whether the list descends by id. A filter has to say so too. */
  readonly isDescending?: boolean;
}

/** Returns the parameters of a query, encoded, without those that are absent. */
export function queryPairs(
  values: Readonly<Record<string, string | number | bigint | undefined>>,
): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
}

/** Returns the Link header (RFC 8288) of a page: `next` with this parameter unless it is the last page, and `first`. */
export function pageLinks(url: string, pairs: readonly string[], next: string | undefined): string {
  const first = `<${[url, pairs.join('&')].filter(Boolean).join('?')}>; rel="first"`;
  if (next === undefined) return first;
  return `<${url}?${[...pairs, next].join('&')}>; rel="next", ${first}`;
}

/**
 * Names a list for its cursors; `defaultSort` is its order if a request names none. A default means the same whether it is
 * sent or not.
 */
export function listName(
  path: string,
  filters: Readonly<Record<string, string | undefined>>,
  defaultSort?: string,
): string {
  const defaults: typeof filters = { sort: defaultSort, total: 'false' };
  const chosen = Object.entries(filters).filter(([name, value]) => value !== defaults[name]);
  return `${path}?${queryPairs(Object.fromEntries(chosen)).join('&')}`;
}

/**
 * Returns the page of a list to read, and what makes the result of it. Throws `invalid_cursor`.
 */
export function listPage({ baseUrl, path, query, ...chosen }: ListAddress) {
  const { filters = {}, defaultSort, ...order } = chosen;
  // A cursor is bound to the path and the filters; the limit may change from page to page.
  const name = listName(path, filters, defaultSort);
  const afterId = query.cursor === undefined ? undefined : decodeCursor(query.cursor, name);

  function links(page: Page<{ readonly id: bigint }>): string {
    const last = page.more ? (page.resumeAfter ?? page.items.at(-1)?.id) : undefined;
    const next = last === undefined ? undefined : `cursor=${encodeCursor(last, name)}`;
    return pageLinks(baseUrl + path, queryPairs({ ...filters, limit: query.limit }), next);
  }

  const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
  const request: PageRequest = { afterId, limit, ...order };
  return {
    request,
    result: <T extends { readonly id: bigint }>(
      page: Page<T>,
      view: (item: T) => WritableJson,
    ) => ({
      value: page.items.map(view),
      headers: { link: links(page) },
    }),
  };
}

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
    if (isSame(cursor, encodeCursor(afterId, list))) return afterId;
  }
  throw invalidCursor();
}

/** Compares cursors as texts, since decoding ignores the spare bits of base64url. */
function isSame(cursor: string, expected: string): boolean {
  const [given, right] = [Buffer.from(cursor), Buffer.from(expected)];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** The failure for a cursor that this list did not give. */
export function invalidCursor(): Failure {
  return new Failure(
    'invalid_cursor',
    'cursor must be taken from the Link header of a page with the same filters; start again without it.',
  );
}

/** 22 characters of base64url are 16 bytes, of which 8 are the checksum. */
const CHECKSUM_BYTES = 8;

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
  if (isSame(cursor, sealCursor(text, list))) return text;
  throw invalidCursor();
}
