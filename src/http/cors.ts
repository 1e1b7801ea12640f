import type { HttpResponse } from './response.ts';

/** Header fields of the interface that a browser's script may read. */
const EXPOSED = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
  'access-control-max-age': '600',
};

/** Cross-origin requests (the Fetch standard, "CORS protocol"), for the origins that are named. */
export interface Cors {
  readonly enabled: boolean;
  /** The fields that let a page of this origin read the answer; none for another origin. */
  headersFor(origin: string | null): Readonly<Record<string, string>>;
  /** The answer to an OPTIONS request, or undefined where that is no preflight. */
  preflight(headers: Headers): HttpResponse | undefined;
}

/** `origins` are compared to the letter; `*` stands for all. An empty list turns CORS off. */
export function createCors(origins: readonly string[]): Cors {
  const any = origins.includes('*');
  const allowed = new Set(origins);

  function headersFor(origin: string | null): Record<string, string> {
    if (origin === null || !(any || allowed.has(origin))) return {};
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
  }

  function preflight(headers: Headers): HttpResponse | undefined {
    const origin = headers.get('origin');
    if (origin === null || !headers.has('access-control-request-method')) return undefined;
    if (!(any || allowed.has(origin))) return undefined;
    return { status: 204, body: null, headers: PREFLIGHT_HEADERS };
  }

  return { enabled: origins.length > 0, headersFor, preflight };
}
