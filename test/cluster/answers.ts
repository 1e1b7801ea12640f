import { expect } from 'bun:test';
import { expectDocumented, type SeenExchange } from '../contract/violations.ts';

/** What the proxy may have to say itself, with the codes of our own answers. */
const OF_THE_PROXY: Readonly<Record<number, string>> = {
  408: 'invalid_request',
  413: 'body_too_large',
  414: 'uri_too_long',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

/**
 * Holds an answer that came through the proxy against what is promised: one of an instance against
 * the document, one of the proxy itself against the shape of our errors.
 */
export function expectFromCluster(seen: SeenExchange): void {
  if (isOfTheProxy(seen)) expectProxyProblem(seen);
  else {
    // nginx names itself, which cannot be turned off.
    const headers = new Headers(seen.headers);
    headers.delete('server');
    expectDocumented({ ...seen, headers });
  }
}

/** Every answer of an instance says where the caller stands. */
export function isOfTheProxy({ status, headers }: Pick<SeenExchange, 'status' | 'headers'>) {
  return status in OF_THE_PROXY && !headers.has('x-ratelimit-limit');
}

/** Holds an answer of the proxy itself against the Error of the interface. */
export function expectProxyProblem({ status, headers, text }: SeenExchange): void {
  const code = OF_THE_PROXY[status];
  expect(JSON.parse(text)).toEqual({ code, message: expect.stringMatching(/^\S.*\.$/), status });
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  if (status >= 500) expect(headers.get('retry-after')).toMatch(/^[1-9]$/);
}
