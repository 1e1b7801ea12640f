import { methodNotAllowed, routeNotFound } from '../domain/failure.ts';
import type { MaybePromise } from '../domain/maybe-promise.ts';
import { representationFor } from '../http/representation.ts';
import type { HttpResponse } from '../http/response.ts';
import type { Health } from './health.ts';

/** What is served beside the interface, without a key: pages, and how the service is. */
export interface Site {
  /** The answer to a path outside `/v1`. Throws `route_not_found` and `method_not_allowed`. */
  serve(method: string, path: string, headers: Headers): MaybePromise<HttpResponse>;
}

/** A page, or what makes it when it is asked for. */
export type Page = HttpResponse | (() => MaybePromise<HttpResponse>);

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

const READABLE = ['GET', 'HEAD'];

/** Puts the pages, which are loaded when something is asked for, beside `/livez` and `/readyz`. */
export function createSite(loadPages: () => Promise<Pages>, health: Health): Site {
  async function serve(method: string, path: string, headers: Headers): Promise<HttpResponse> {
    const page = await pageAt(path);
    if (page === undefined) throw routeNotFound();
    if (!READABLE.includes(method)) throw methodNotAllowed(method, READABLE);
    const response = typeof page === 'function' ? await page() : page;
    return representationFor(response, method, headers);
  }

  async function pageAt(path: string): Promise<Page | undefined> {
    if (path === '/livez') return health.live;
    if (path === '/readyz') return health.ready;
    return (await loadPages()).get(path);
  }

  return { serve };
}
