import type { HeaderValues } from './headers.ts';

/** Headers of every response, of the interface and of pages alike. */
const ALWAYS: HeaderValues = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
};

/** The caller's rate limits as headers; see api/pipeline/rate-limit-headers.ts. */
export interface RateLimitHeaders {
  readonly 'x-ratelimit-limit': string;
  readonly 'x-ratelimit-remaining': string;
  readonly 'x-ratelimit-reset': string;
  readonly ratelimit: string;
  readonly 'ratelimit-policy': string;
}

/**
 * The headers of one kind of response, with the constant ones built in. A new list of headers costs
 * 1.9 µs and each header 0.1 µs, so all responses of one kind share a list, and only values that
 * differ from the previous response are set. Values that differ between callers are required arguments:
 * a value that could be left out would leak from the previous caller's response.
 */
export interface ResponseTemplate {
  /**
   * Returns the status and headers of one response, to construct a `Response` with, which copies
   * them. The returned object is only valid until the next call.
   */
  fill(own: HeaderValues, requestId: string, limits: RateLimitHeaders): Response;
}

/** Compiles a template for responses with this status that all carry the `constant` headers. */
export function createResponseTemplate(status: number, constant: HeaderValues): ResponseTemplate {
  // The runtime copies a Response faster than it reads an object: 0.5 µs, not 0.6.
  const init = new Response(null, { status, headers: { ...ALWAYS, ...constant } });
  const { headers } = init;
  let lastOwn: HeaderValues = {};
  let lastReset = '';
  let lastLimit = '';
  let lastPolicy = '';

  /** Replaces the previous response's own headers. Those that only it had go back to the constant. */
  function setOwn(own: HeaderValues): void {
    for (const name in own) {
      const value = own[name] ?? '';
      if (value !== lastOwn[name]) headers.set(name, value);
    }
    for (const name in lastOwn) {
      if (name in own) continue;
      const value = constant[name];
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    lastOwn = own;
  }

  function setLimits(limits: RateLimitHeaders): void {
    headers.set('x-ratelimit-remaining', limits['x-ratelimit-remaining']);
    headers.set('ratelimit', limits.ratelimit);
    const { 'x-ratelimit-reset': reset, 'x-ratelimit-limit': limit } = limits;
    const { 'ratelimit-policy': policy } = limits;
    if (reset !== lastReset) headers.set('x-ratelimit-reset', reset);
    if (limit !== lastLimit) headers.set('x-ratelimit-limit', limit);
    if (policy !== lastPolicy) headers.set('ratelimit-policy', policy);
    lastReset = reset;
    lastLimit = limit;
    lastPolicy = policy;
  }

  return {
    fill(own, requestId, limits) {
      if (own !== lastOwn) setOwn(own);
      headers.set('x-request-id', requestId);
      setLimits(limits);
      return init;
    },
  };
}

/** Builds the headers of a response that no template was compiled for. */
export function buildHeaders(...groups: readonly (object | undefined)[]): Headers {
  return new Headers(Object.assign({}, ALWAYS, ...groups));
}
