import { expect } from 'bun:test';
import { expectDocumented, type SeenExchange } from '../contract/violations.ts';

/** Statuses that the proxy may send itself, with the error codes of the service. */
const PROXY_CODES: Readonly<Record<number, string>> = {
  408: 'invalid_request',
  413: 'body_too_large',
  414: 'uri_too_long',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

/**
 * Checks a response that came through the proxy: one from an instance against the document, one
 * from the proxy itself against our Error body.
 */
export function expectFromCluster(seen: SeenExchange): void {
  if (isFromProxy(seen)) expectProxyProblem(seen);
  else {
    // nginx always sends its name.
    const headers = new Headers(seen.headers);
    headers.delete('server');
    expectDocumented({ ...seen, headers });
  }
}

/** Instances send rate limit headers with every response; the proxy does not. */
export function isFromProxy({ status, headers }: Pick<SeenExchange, 'status' | 'headers'>) {
  return status in PROXY_CODES && !headers.has('x-ratelimit-limit');
}

/** Checks a response from the proxy itself against the Error of the interface. */
export function expectProxyProblem({ status, headers, text }: SeenExchange): void {
  const code = PROXY_CODES[status];
  expect(JSON.parse(text)).toEqual({ code, message: expect.stringMatching(/^\S.*\.$/), status });
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  if (status >= 500) expect(headers.get('retry-after')).toMatch(/^[1-9]$/);
}
