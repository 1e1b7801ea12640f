import { type Clock, MINUTE_MS } from '../../domain/clock.ts';
import { EMPTY_SHOP, type Shop, type ShopStorage } from '../../domain/shop.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import type { RequestContext } from './request-context.ts';
import { isPublicPath } from './target-cache.ts';

/** The dependencies of the pages. */
interface RefusalPageParts {
  readonly storage: { readonly shop: Pick<ShopStorage, 'get'> };
  readonly pagesRoot: string | null;
  readonly clock: Clock;
}

/** Public paths that programs read: their errors are JSON. */
const FOR_PROGRAMS = /^\/robots\.txt$|^\/adopt\/(?:assets\/|.*\.(?:json|xml|js|css|svg)$)/;

/**
 * Creates what turns a refusal into a page where a person asked: under `/adopt` always, elsewhere outside `/v1` if the
 * browser asks for a page. The shop is remembered, because the database may be what fails.
 */
export function createRefusalPages({ storage, pagesRoot, clock }: RefusalPageParts) {
  let shop: Shop | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  function isForPerson({ request, target: { path, isApi } }: RequestContext): boolean {
    if (isApi) return false;
    if (pagesRoot !== null && isPublicPath(path)) return !FOR_PROGRAMS.test(path);
    return request.headers.get('accept')?.includes('text/html') === true;
  }

  async function readShop(): Promise<void> {
    readAt = clock.now();
    shop = await storage.shop.get().catch(() => shop);
  }

  return async function asPage(
    context: RequestContext,
    response: HttpResponse,
  ): Promise<HttpResponse> {
    if (!isForPerson(context)) return response;
    const { status, headers } = response;
    const isRefusal = status >= 400 && headers['content-type'] === JSON_TYPE;
    const reading = Math.abs(clock.now() - readAt) > MINUTE_MS ? readShop() : undefined;
    if (!isRefusal) return response;
    // A database that fails may take long to say so.
    if (shop === undefined || status < 500) await reading;
    const { refusalPage } = await import('../../adopt/notices.ts');
    const retryAfter = headers['retry-after'];
    const page = refusalPage({
      ...{ status, shop: shop ?? EMPTY_SHOP, root: pagesRoot, at: clock.now() },
      seconds: retryAfter === undefined ? undefined : Number(retryAfter),
      query: context.target.query,
      accepted: context.request.headers.get('accept-language'),
    });
    const { etag: _, ...pageHeaders } = page.headers;
    const { 'content-type': __, ...kept } = headers;
    const own = { ...pageHeaders, ...kept, 'cache-control': 'private, no-store' };
    return { ...response, body: page.body, headers: own };
  };
}
