import type { Failure } from '../domain/failure.ts';
import { writeJson } from './json.ts';

/** Header names, in lower case, and their values. */
export type HeaderValues = Readonly<Record<string, string>>;

/** A response before it becomes the runtime's `Response`. */
export interface HttpResponse {
  readonly status: number;
  /** The whole body, or null for a status without one. A file is sent without being read into memory. */
  readonly body: string | Blob | null;
  /** The same body in brotli, beside one in gzip. */
  readonly brotli?: Blob | undefined;
  /** Headers besides those that every response carries. Names in lower case. */
  readonly headers: HeaderValues;
  /** Counted but not logged: there are too many of them. */
  readonly unlogged?: true;
}

/** A response whose body is text. */
export interface TextResponse extends HttpResponse {
  readonly body: string | null;
}

export const JSON_TYPE = 'application/json';

const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

const REALM = 'Bearer realm="petstore"';

/** Returns the challenge of RFC 6750, section 3, for failures that a (different) key would avoid. */
function challengeOf(failure: Failure): string | undefined {
  switch (failure.code) {
    case 'missing_api_key':
    case 'cross_site_request':
      return REALM;
    case 'invalid_api_key':
      return `${REALM}, error="invalid_token"`;
    case 'insufficient_scope':
      return `${REALM}, error="insufficient_scope"`;
    default:
      return undefined;
  }
}

/** Creates an error response. The body has exactly `code`, `message` and `status`. */
export function errorResponse(failure: Failure): HttpResponse {
  const { code, message, status, details } = failure;
  const headers: Record<string, string> = { 'content-type': JSON_TYPE };
  const challenge = challengeOf(failure);
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  if (details.allow !== undefined) headers['allow'] = details.allow.join(', ');
  if (details.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(details.retryAfterSeconds);
  }
  if (details.endsConnection === true) headers['connection'] = 'close';
  // A message may quote what was sent, but is one line.
  const line = message.replaceAll(LINE_BREAKS, ' ');
  return { status, body: writeJson({ code, message: line, status }), headers };
}

/** Conditional requests (RFC 9110, sections 8.8 and 13). */

/**
 * Returns a strong entity tag: a 64-bit hash of the response's body and its links to other pages.
 * It depends on nothing else, so it is equal on every instance and after a restart.
 */
export function entityTag(body: string, links = ''): string {
  const hash = Bun.hash.wyhash(links, Bun.hash.wyhash(body));
  return `"${hash.toString(16).padStart(16, '0')}"`;
}

/** Our tags hold no comma, so splitting the list at commas cannot produce one by accident. */
function tagsIn(header: string): string[] {
  return header.split(',').map((item) => item.trim());
}

/** Compares If-None-Match to an entity tag; the RFC requires the weak comparison. */
export function matchesWeakly(header: string, tag: string): boolean {
  if (header === tag || header.trim() === '*') return true;
  return tagsIn(header).some((item) => item.replace(/^W\//, '') === tag);
}

/** Compares If-Match to an entity tag; the RFC requires the strong comparison. */
export function matches(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn(header).includes(tag);
}

/** Returns a response in JSON with an entity tag (RFC 9110, section 8.8.3), unless `headers` have another type or tag. */
export function taggedJson(status: number, body: string, headers: HeaderValues): TextResponse {
  const etag = headers['etag'] ?? tagOf(body, headers);
  return { status, body, headers: { 'content-type': JSON_TYPE, ...headers, etag } };
}

/** A page with the same body may still have changed: its links lead to other pages. */
export function tagOf(body: string, headers: HeaderValues): string {
  return entityTag(body, headers['link']);
}

/** Returns a 304 if the client has this response already (RFC 9110, section 13). */
export function unlessKnown(request: Request, response: TextResponse): HttpResponse {
  const known = request.headers.get('if-none-match');
  if (known === null) return response;
  const { etag } = response.headers;
  if (etag === undefined || !matchesWeakly(known, etag)) return response;
  const { 'content-type': _, ...headers } = response.headers;
  return { status: 304, body: null, headers };
}
