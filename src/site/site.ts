import { methodNotAllowed, routeNotFound } from '../domain/failure.ts';
import { representationFor } from '../http/representation.ts';
import type { HttpResponse } from '../http/response.ts';
import type { Target } from '../http/target.ts';
import type { Health } from './health.ts';

/** Everything served outside `/v1`, without a key: pages and health checks. */
export interface Site {
  /** Responds to a path outside `/v1`. Throws `route_not_found` and `method_not_allowed`. */
  serve(method: string, target: PageTarget, headers: Headers): Promise<HttpResponse>;
}

type PageTarget = Pick<Target, 'path' | 'query'>;

/** A page, or a function that renders it on request. Few read the query. */
export type Page = HttpResponse | ((query: string) => HttpResponse | Promise<HttpResponse>);

/** Pages by path. */
export type Pages = ReadonlyMap<string, Page>;

const READABLE = ['GET', 'HEAD'];

/** Loads pages by path, at the first request for one of them. */
interface PageSources {
  /** The reference, the guides and the document. */
  loadPages(): Promise<Pages>;
  /** The console with its assets, which are built then. */
  loadConsole(): Promise<Pages>;
}

/** The page that searches the guides. It is charged to the address of the visitor. */
export const SEARCH_PATH = '/docs/search';

/** Where the page for an unknown address is among the others. No path is so. */
export const MISSING_PAGE = 'missing';

const CONSOLE = /^\/console(?:\/|$)/;
/** The page of an animal is the same file as the page of all: the program shows what is in the address. */
const ANIMAL = /^(\/console\/animals)\/-?\d{1,19}$/;

/** Creates the site from `/livez`, `/readyz` and the pages, which are loaded on first use. */
export function createSite({ loadPages, loadConsole }: PageSources, health: Health): Site {
  async function serve(
    method: string,
    { path, query }: PageTarget,
    headers: Headers,
  ): Promise<HttpResponse> {
    const page = (await pageAt(path)) ?? (await missingPage(path, query, headers));
    if (!READABLE.includes(method)) throw methodNotAllowed(method, READABLE);
    const response = typeof page === 'function' ? await page(query) : page;
    return representationFor(response, method, headers);
  }

  async function pageAt(path: string): Promise<Page | undefined> {
    if (path === '/livez') return health.live;
    if (path === '/readyz') return health.ready;
    if (CONSOLE.test(path)) return (await loadConsole()).get(path.replace(ANIMAL, '$1'));
    return (await loadPages()).get(path);
  }

  /** In a browser, an unknown address is a page too, which says so and leads on. */
  async function missingPage(path: string, query: string, headers: Headers): Promise<Page> {
    if (headers.get('accept')?.includes('text/html') !== true) throw routeNotFound();
    const found = CONSOLE.test(path)
      ? (await loadConsole()).get('/console')
      : (await loadPages()).get(MISSING_PAGE);
    const page = typeof found === 'function' ? await found(query) : found;
    if (page === undefined) throw routeNotFound();
    const { etag: _, ...others } = page.headers;
    return { ...page, status: 404, headers: { ...others, vary: 'accept' } };
  }

  return { serve };
}
