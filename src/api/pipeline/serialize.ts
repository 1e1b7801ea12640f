import type { StoredResult } from '../../domain/idempotency.ts';
import { entityTag, matchesWeakly } from '../../http/conditional.ts';
import { writeJson } from '../../http/json.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import type { Result } from '../contract/operation.ts';

/** The answer of an operation: its body is text. */
export interface TextResponse extends HttpResponse {
  readonly body: string | null;
}

/** What is sent for the result of a handler. */
export function serialize({ status, value, headers }: Result): TextResponse {
  if (value === undefined) return { status, body: null, headers: headers ?? {} };
  return { status, body: writeJson(value), headers: { 'content-type': JSON_TYPE, ...headers } };
}

/** Gives what was read, changed or added its entity tag (RFC 9110, section 8.8.3), unless it has one. */
export function withEntityTag(response: TextResponse): TextResponse {
  const { status, body, headers } = response;
  if (status >= 300 || body === null || headers['etag'] !== undefined) return response;
  // Links tell of further pages, so a page whose body stayed the same may still have changed.
  return { status, body, headers: { ...headers, etag: entityTag(body, headers['link']) } };
}

/** A 304 in place of what the client has already (RFC 9110, section 13). */
export function notModified(request: Request, response: TextResponse): HttpResponse {
  const known = request.headers.get('if-none-match');
  if (known === null) return response;
  const { etag } = response.headers;
  if (etag === undefined || !matchesWeakly(known, etag)) return response;
  const { 'content-type': _, ...headers } = response.headers;
  return { status: 304, body: null, headers };
}

/** SHA-256 of a body, byte by byte, in hexadecimal. */
export function fingerprint(body: Uint8Array | undefined): string {
  return Bun.SHA256.hash(body ?? new Uint8Array(0), 'hex');
}

/** The result of an idempotent request as it is kept. */
export function toStoredResult({ stored, ...result }: Result): StoredResult {
  const { status, body, headers } = serialize(
    stored === undefined ? result : { ...result, value: stored },
  );
  return { status, body: body ?? '', headers };
}

/** What is sent for a repeat of an idempotent request. */
export function replay(result: StoredResult): TextResponse {
  return withEntityTag({
    ...result,
    headers: { ...result.headers, 'idempotent-replayed': 'true' },
  });
}
