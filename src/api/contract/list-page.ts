import { PAGE_LIMIT_DEFAULT, type Page, type PageRequest } from '../../domain/page.ts';
import type { WritableJson } from '../../http/json.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Result } from './operation.ts';

/** A list as a request asks for it. */
export interface ListAddress {
  readonly baseUrl: string;
  /** Relative to the base address. */
  readonly path: string;
  /** The filters in a fixed order, those left out as undefined. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly query: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
}

/** What a list needs: which page to read, and the result to make of it. */
export interface ListPage {
  readonly request: PageRequest;
  result<T extends { readonly id: bigint }>(page: Page<T>, view: (item: T) => WritableJson): Result;
}

function pairs(values: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
}

/** Reads where a page begins, and knows the links of it. Throws `invalid_cursor`. */
export function listPage({ baseUrl, path, filters, query }: ListAddress): ListPage {
  // A cursor belongs to the path and the filters; the limit may change on the way.
  const name = `${path}?${pairs(filters).join('&')}`;
  const afterId = query.cursor === undefined ? undefined : decodeCursor(query.cursor, name);

  /** The Link field (RFC 8288): `next` unless this is the last page, and `first`. */
  function links(page: Page<{ readonly id: bigint }>): string {
    const stored = pairs({ ...filters, limit: query.limit });
    const url = `${baseUrl}${path}`;
    const first = `<${[url, stored.join('&')].filter(Boolean).join('?')}>; rel="first"`;
    const last = page.resumeAfter ?? page.items.at(-1)?.id;
    if (!page.more || last === undefined) return first;
    const cursor = `cursor=${encodeCursor(last, name)}`;
    return `<${url}?${[...stored, cursor].join('&')}>; rel="next", ${first}`;
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
