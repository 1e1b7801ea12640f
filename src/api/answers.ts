import type { KeptResult, OnceOutcome } from '../domain/idempotency.ts';
import { type Answer, JSON_TYPE } from '../http/answer.ts';
import { entityTag, matchesWeakly } from '../http/conditional.ts';
import { writeJson } from '../http/json.ts';
import type { Operation, Result } from './operation.ts';

/** The answer of an operation: its body is text. */
interface TextAnswer extends Answer {
  readonly body: string | null;
}

/** What is sent for the result of a handler. */
export function answerOf({ status, value, headers }: Result): TextAnswer {
  if (value === undefined) return { status, body: null, headers: headers ?? {} };
  return { status, body: writeJson(value), headers: { 'content-type': JSON_TYPE, ...headers } };
}

/**
 * Gives what was read or changed its entity tag, and a client that has it already a 304 in place
 * of it (RFC 9110, section 13).
 */
export function conditional(request: Request, { method }: Operation, answer: TextAnswer): Answer {
  const { status, body, headers } = answer;
  if (status !== 200 || body === null) return answer;
  // Links tell of further pages, so a page whose body stayed the same may still have changed.
  const etag = entityTag(body, headers['link']);
  const known = method === 'GET' ? request.headers.get('if-none-match') : null;
  if (known === null || !matchesWeakly(known, etag)) {
    return { status, body, headers: { ...headers, etag } };
  }
  const { 'content-type': _, ...rest } = headers;
  return { status: 304, body: null, headers: { ...rest, etag } };
}

/** SHA-256 of a body, byte by byte, in hexadecimal. */
export function fingerprintOf(body: Uint8Array | undefined): string {
  return Bun.SHA256.hash(body ?? new Uint8Array(0), 'hex');
}

/** The result of an idempotent request as it is kept. */
export function keptResult(result: Result): KeptResult {
  const { status, body, headers } = answerOf(result);
  return { status, body: body ?? '', headers };
}

/** What is sent for an idempotent request. */
export function answerOnce({ result, replayed }: OnceOutcome): Answer {
  if (!replayed) return result;
  return { ...result, headers: { ...result.headers, 'idempotent-replayed': 'true' } };
}
