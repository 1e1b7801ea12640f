import type { KeptResult } from '../../domain/idempotency.ts';
import { type Answer, JSON_TYPE } from '../../http/response.ts';
import { entityTag, matchesWeakly } from '../../http/conditional.ts';
import { writeJson } from '../../http/json.ts';
import type { Result } from '../contract/operation.ts';

/** The answer of an operation: its body is text. */
export interface TextAnswer extends Answer {
  readonly body: string | null;
}

/** What is sent for the result of a handler. */
export function answerOf({ status, value, headers }: Result): TextAnswer {
  if (value === undefined) return { status, body: null, headers: headers ?? {} };
  return { status, body: writeJson(value), headers: { 'content-type': JSON_TYPE, ...headers } };
}

/** Gives what was read, changed or added its entity tag (RFC 9110, section 8.8.3), unless it has one. */
export function tagged(answer: TextAnswer): TextAnswer {
  const { status, body, headers } = answer;
  if (status >= 300 || body === null || headers['etag'] !== undefined) return answer;
  // Links tell of further pages, so a page whose body stayed the same may still have changed.
  return { status, body, headers: { ...headers, etag: entityTag(body, headers['link']) } };
}

/** A 304 in place of what the client has already (RFC 9110, section 13). */
export function unlessKnown(request: Request, answer: TextAnswer): Answer {
  const known = request.headers.get('if-none-match');
  if (known === null) return answer;
  const { etag } = answer.headers;
  if (etag === undefined || !matchesWeakly(known, etag)) return answer;
  const { 'content-type': _, ...headers } = answer.headers;
  return { status: 304, body: null, headers };
}

/** SHA-256 of a body, byte by byte, in hexadecimal. */
export function fingerprintOf(body: Uint8Array | undefined): string {
  return Bun.SHA256.hash(body ?? new Uint8Array(0), 'hex');
}

/** The result of an idempotent request as it is kept. */
export function keptResult({ kept, ...result }: Result): KeptResult {
  const { status, body, headers } = answerOf(
    kept === undefined ? result : { ...result, value: kept },
  );
  return { status, body: body ?? '', headers };
}

/** What is sent for a repeat of an idempotent request. */
export function repeated(result: KeptResult): TextAnswer {
  return tagged({ ...result, headers: { ...result.headers, 'idempotent-replayed': 'true' } });
}
