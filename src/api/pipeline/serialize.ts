import type { StoredResult } from '../../domain/idempotency.ts';
import { entityTag, matchesWeakly } from '../../http/conditional.ts';
import type { HeaderValues } from '../../http/headers.ts';
import { writeJson } from '../../http/json.ts';
import { type HttpResponse, JSON_TYPE, type TextResponse } from '../../http/response.ts';
import type { ResponseTemplate } from '../../http/response-template.ts';
import type { Result } from '../contract/operation.ts';

/**
 * Writes the result of a handler as JSON, with an entity tag (RFC 9110, section 8.8.3) unless it has
 * its own. Builds each object once, since this is on the path of every cache miss.
 */
export function serialize(result: Result, template?: ResponseTemplate): TextResponse {
  const { status, headers } = result;
  const body = bodyOf(result);
  if (body === null) return { status, body, headers: headers ?? {}, template };
  const etag = headers?.['etag'] ?? tagOf(body, headers);
  const own =
    headers === undefined
      ? { 'content-type': JSON_TYPE, etag }
      : { 'content-type': JSON_TYPE, ...headers, etag };
  return { status, body, headers: own, template };
}

function bodyOf({ json, value }: Result): string | null {
  return json ?? (value === undefined ? null : writeJson(value));
}

/** A page with the same body may still have changed: its links lead to other pages. */
function tagOf(body: string, headers: HeaderValues | undefined): string {
  return entityTag(body, headers?.['link']);
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

/** Returns the SHA-256 of the bytes of a body, in hexadecimal. */
export function fingerprint(body: Uint8Array | undefined): string {
  return Bun.SHA256.hash(body ?? new Uint8Array(0), 'hex');
}

/** Converts the result of an idempotent request to its stored form. */
export function toStoredResult(result: Result): StoredResult {
  const value = result.stored ?? result.value;
  const body = bodyOf(value === undefined ? result : { ...result, value });
  const type = body === null ? {} : { 'content-type': JSON_TYPE };
  return { status: result.status, body: body ?? '', headers: { ...type, ...result.headers } };
}

/** Returns the response that replays a stored result. */
export function replay({ status, body, headers }: StoredResult): TextResponse {
  const etag = headers['etag'] ?? tagOf(body, headers);
  return { status, body, headers: { ...headers, 'idempotent-replayed': 'true', etag } };
}
