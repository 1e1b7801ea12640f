import { type ResponseCache, responseOf } from './response-cache.ts';

/** Caches nothing. The interface behaves the same with it, only slower. */
export const NO_CACHE: ResponseCache = {
  begin: () => undefined,
  answer: (request, make) => responseOf(make(request)),
};
