import type { ResponseCache } from './response-cache.ts';

/** Makes every response afresh. The interface behaves the same with it, only slower. */
export const NO_CACHE: ResponseCache = {
  begin: () => undefined,
  answer: (request, make) => make(request),
};
