import type { HttpResponse } from './response.ts';

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Traceparent, Tracestate, X-Request-Id',
  'access-control-max-age': '600',
};

/** Cross-origin requests (the Fetch standard, "CORS protocol") from the allowed origins. */
export type Cors = ReturnType<typeof createCors>;

/**
 * Creates the CORS rules. Origins must match exactly; `*` allows all; an empty list turns CORS off. Scripts may read
 * the exposed headers of a response.
 */
export function createCors(origins: readonly string[], exposedHeaders: readonly string[]) {
  const exposed = exposedHeaders.join(', ');
  const any = origins.includes('*');
  const allowed = new Set(origins);

  /** Returns the headers that let a page of this origin read the response; none if not allowed. */
  function headersFor(origin: string | null): Record<string, string> {
    if (origin === null || !(any || allowed.has(origin))) return {};
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
  }

  /** Returns the response to an OPTIONS request, or undefined if it is not an allowed preflight. */
  function preflight(headers: Headers): HttpResponse | undefined {
    const origin = headers.get('origin');
    if (origin === null || !headers.has('access-control-request-method')) return undefined;
    if (!(any || allowed.has(origin))) return undefined;
    return { status: 204, body: null, headers: PREFLIGHT_HEADERS };
  }

  return { enabled: origins.length > 0, headersFor, preflight };
}
