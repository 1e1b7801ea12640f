import { PAGE_LIMIT_DEFAULT, type Page, type PageRequest } from '../../domain/page.ts';
import type { WritableJson } from '../../http/json.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Result } from './operation.ts';

/** The list that a request names. */
export interface ListAddress {
  readonly baseUrl: string;
  /** Relative to the base address. */
  readonly path: string;
  /** The filters in a fixed order; undefined for those that are absent. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly query: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
}

/** The page of a list to read, and the result to create from it. */
export interface ListPage {
  readonly request: PageRequest;
  result<T extends { readonly id: bigint }>(page: Page<T>, view: (item: T) => WritableJson): Result;
}

/** Returns the parameters of a query, encoded, without those that are absent. */
export function queryPairs(
  values: Readonly<Record<string, string | number | undefined>>,
): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
}

/** Decodes the cursor of a request. Throws `invalid_cursor`. */
export function listPage({ baseUrl, path, filters, query }: ListAddress): ListPage {
  // A cursor is bound to the path and the filters; the limit may change from page to page.
  const name = `${path}?${queryPairs(filters).join('&')}`;
  const afterId = query.cursor === undefined ? undefined : decodeCursor(query.cursor, name);

  /** Returns the Link header (RFC 8288): `next` unless this is the last page, and `first`. */
  function links(page: Page<{ readonly id: bigint }>): string {
    const parameters = queryPairs({ ...filters, limit: query.limit });
    const url = `${baseUrl}${path}`;
    const first = `<${[url, parameters.join('&')].filter(Boolean).join('?')}>; rel="first"`;
    const last = page.resumeAfter ?? page.items.at(-1)?.id;
    if (!page.more || last === undefined) return first;
    const cursor = `cursor=${encodeCursor(last, name)}`;
    return `<${url}?${[...parameters, cursor].join('&')}>; rel="next", ${first}`;
  }

  return {
    request: { afterId, limit: query.limit ?? PAGE_LIMIT_DEFAULT },
    result: (page, view) => ({
      status: 200,
      value: page.items.map(view),
      headers: { link: links(page) },
    }),
  };
}
