import type { StoredResult } from '../../domain/idempotency.ts';
import { entityTag, matchesWeakly } from '../../http/conditional.ts';
import { writeJson } from '../../http/json.ts';
import { type HttpResponse, JSON_TYPE, type TextResponse } from '../../http/response.ts';
import type { Result } from '../contract/operation.ts';

/** Writes the result of a handler as JSON, with an entity tag. */
export function serialize(result: Result): TextResponse {
  return withEntityTag(withoutEntityTag(result));
}

function withoutEntityTag({ status, value, json, headers }: Result): TextResponse {
  const body = json ?? (value === undefined ? null : writeJson(value));
  if (body === null) return { status, body, headers: headers ?? {} };
  return { status, body, headers: { 'content-type': JSON_TYPE, ...headers } };
}

/** Adds the entity tag of a body that has none of its own (RFC 9110, section 8.8.3). */
function withEntityTag(response: TextResponse): TextResponse {
  const { status, body, headers } = response;
  if (status >= 300 || body === null || headers['etag'] !== undefined) return response;
  // A page with the same body may still have changed: its links lead to other pages.
  return { status, body, headers: { ...headers, etag: entityTag(body, headers['link']) } };
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
export function toStoredResult({ stored, ...result }: Result): StoredResult {
  const value = stored ?? result.value;
  const { status, body, headers } = withoutEntityTag(
    value === undefined ? result : { ...result, value },
  );
  return { status, body: body ?? '', headers };
}

/** Returns the response that replays a stored result. */
export function replay(result: StoredResult): TextResponse {
  return withEntityTag({
    ...result,
    headers: { ...result.headers, 'idempotent-replayed': 'true' },
  });
}
