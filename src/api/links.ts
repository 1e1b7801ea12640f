import type { Page } from '../domain/page.ts';
import { encodeCursor } from './cursor.ts';

/** A list as its links name it. */
export interface ListAddress {
  readonly baseUrl: string;
  /** Relative to the base address. */
  readonly path: string;
  /** The filters in a fixed order, those left out as undefined. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** The limit where the client gave one. */
  readonly limit: number | undefined;
}

function pairs(values: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
}

/** What a cursor is bound to: the path and the filters, but not the limit. */
export function listName(path: string, filters: ListAddress['filters']): string {
  return `${path}?${pairs(filters).join('&')}`;
}

/** The Link field of a page (RFC 8288): `next` unless it is the last one, and `first`. */
export function pageLinks(address: ListAddress, page: Page<{ readonly id: bigint }>): string {
  const { baseUrl, path, filters, limit } = address;
  const query = pairs({ ...filters, limit });
  const url = `${baseUrl}${path}`;
  const first = `<${url}${query.length > 0 ? '?' : ''}${query.join('&')}>; rel="first"`;
  const last = page.items.at(-1);
  if (!page.more || last === undefined) return first;
  const cursor = encodeCursor(last.id, listName(path, filters));
  return `<${url}?${[...query, `cursor=${cursor}`].join('&')}>; rel="next", ${first}`;
}
