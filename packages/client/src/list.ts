import { type Int64, writeNumber } from './json.ts';
import type { Call, CallOptions, Transport } from './transport.ts';

/** A value in a query. */
type QueryValue = string | Int64 | readonly (string | Int64)[] | undefined;

/** The caller's quota, as it was with a response. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** When it is whole again, in Unix seconds. */
  readonly reset: number;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** Reads the next page; absent on the last one. */
  readonly next?: () => Promise<Page<T>>;
  /** Names the next page, also for another program; absent on the last page. */
  readonly nextCursor?: string;
  /** How many records pass the filters, where the service was asked for it and counted them. */
  readonly total?: number;
  readonly rateLimit: RateLimit;
  readonly requestId: string;
}

/** The most that the service puts on one page. */
export const PAGE_MAX = 100;
const NEXT_LINK = /<[^>?]*(\?[^>]*)>;\s*rel="?next/;

/**
 * A list of records that is read when it is needed: all of it with `for await`, or by the page.
 * `await` reads the first page.
 */
export class List<T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: object;
  readonly #options: CallOptions | undefined;

  constructor(transport: Transport, path: string, query: object, options?: CallOptions) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
    this.#options = options;
  }

  /** Reads the first page, or the one that `cursor` names: the `nextCursor` of the page before. */
  async page(cursor?: string): Promise<Page<T>> {
    return this.#page(searchOf({ ...this.#query, cursor }));
  }

  // biome-ignore lint/suspicious/noThenProperty: `await store.pets.list()` is what many write first.
  then<A = Page<T>, B = never>(
    done?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.page().then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let page: Page<T> | undefined = await this.#page(searchOf({ limit: PAGE_MAX, ...this.#query }));
    while (page) {
      yield* page.items;
      page = await page.next?.();
    }
  }

  async #page(search: string): Promise<Page<T>> {
    const { items, next, headers } = await readPage<T>(
      this.#transport,
      this.#path,
      search,
      this.#options,
    );
    const rate = (name: string) => Number(headers.get(`x-ratelimit-${name}`));
    const total = headers.get('x-total-count');
    const nextCursor = new URLSearchParams(next).get('cursor');
    return {
      items,
      // The feed of events has a link on its last page too: to that page.
      ...(next && sorted(next) !== sorted(search) && { next: () => this.#page(next) }),
      ...(nextCursor !== null && { nextCursor }),
      ...(total !== null && { total: Number(total) }),
      rateLimit: { limit: rate('limit'), remaining: rate('remaining'), reset: rate('reset') },
      requestId: headers.get('x-request-id') ?? '',
    };
  }
}

/** Reads one page; `next` is the query of the page after it. */
export async function readPage<T>(
  transport: Transport,
  path: string,
  search: string,
  options?: CallOptions,
  retrying?: Pick<Call, 'endless' | 'onRetry'>,
): Promise<{ items: T[]; next: string | undefined; headers: Headers }> {
  const wait = 1000 * Number(new URLSearchParams(search).get('wait'));
  const call = { method: 'GET', target: path + search, wait, ...retrying };
  const { body, headers } = await transport.send(call, options);
  // Only its query: the service may be behind another address, which must not get the key.
  const next = NEXT_LINK.exec(headers.get('link') ?? '')?.[1];
  // The OpenAPI document promises this form.
  return { items: body as T[], next, headers };
}

/** Writes a query, with its question mark unless it is empty. */
export function searchOf(query: object): string {
  const search = new URLSearchParams();
  // Queries have no other values: their types come from the document.
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value !== undefined) search.set(name, [value].flat().map(textOf).join());
  }
  return search.size > 0 ? `?${search}` : '';
}

function sorted(search: string): string {
  const query = new URLSearchParams(search);
  query.sort();
  return `${query}`;
}

function textOf(value: string | Int64): string {
  return typeof value === 'string' ? value : writeNumber(value);
}
