import { type ErrorCode, PetstoreError } from './error.ts';
import { readJson } from './json.ts';

/** The codes for responses without one, which come from a proxy or from the HTTP parser. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  413: 'body_too_large',
  429: 'rate_limit_minute',
  431: 'headers_too_large',
  502: 'service_unavailable',
  503: 'service_unavailable',
  504: 'service_unavailable',
};

/** Makes the error for a response that is no success. */
export function responseError({ status, headers }: Response, text: string): PetstoreError {
  const { code, message } = readError(text);
  return new PetstoreError(message ?? `The response is ${status}, and does not say why.`, {
    code: code ?? CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal_error'),
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after')),
  });
}

function readError(text: string): { code?: ErrorCode; message?: string } {
  try {
    // Errors of the service have this form; anything else has no such fields.
    return (readJson(text) as { code?: ErrorCode; message?: string } | null) ?? {};
  } catch {
    return {};
  }
}

/** Reads `Retry-After`, which has seconds or a date, as seconds. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
