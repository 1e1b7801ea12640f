/** Failures, in words for the person. */

import { formatWait } from './format.ts';
import { t } from './language.ts';
import { PetstoreError } from './service.ts';

/** Returns an error with a message for a person. */
export function failureOf(cause: unknown): PetstoreError {
  if (cause instanceof PetstoreError) return cause;
  console.error(cause);
  return new PetstoreError(t`Something went wrong in this page. Reload it.`, {
    code: 'internal_error',
    cause,
  });
}

/** Returns what a person can do about a failure. */
export function explain(cause: unknown): string {
  const { code, message, retryAfter } = failureOf(cause);
  switch (code) {
    case 'connection_lost':
    case 'timeout':
      return t`The service cannot be reached. Check the network and try again.`;
    case 'rate_limit_minute':
    case 'rate_limit_day':
    case 'api_key_banned':
      return t`Too many requests were sent. Try again in ${formatWait(retryAfter ?? 60)}.`;
    case 'insufficient_scope':
      return t`You may not do this. Ask a manager.`;
    case 'service_unavailable':
      return t`The service is busy. Try again in a moment.`;
    case 'invalid_cursor':
      return t`The link leads to a part of a list that has changed.`;
    default:
      // For a file that is not a picture, the service says what it looked at.
      return /by its bytes/.test(message)
        ? t`This is not a photo: add a JPEG, PNG or WebP.`
        : message;
  }
}
