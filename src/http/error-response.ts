import type { Failure } from '../domain/failure.ts';
import { writeJson } from './json.ts';
import { type HttpResponse, JSON_TYPE } from './response.ts';

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
  return { status, body: writeJson({ code, message, status }), headers };
}
