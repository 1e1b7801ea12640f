/** Failures, in words for the person. */

import { formatWait } from './format.ts';
import { t } from './language.ts';
import { refusalText } from './refusals.ts';
import { PetstoreError } from './service.ts';

/** A failure whose message is in words for the person already. */
export class Explained extends PetstoreError {}

/** Returns an error with a message for a person. */
export function failureOf(cause: unknown): PetstoreError {
  if (cause instanceof PetstoreError) return cause;
  console.error(cause);
  return new Explained(t`Something went wrong in this page. Reload it.`, {
    code: 'internal_error',
    cause,
  });
}

/** Returns what a person can do about a failure. */
export function explain(cause: unknown): string {
  const failure = failureOf(cause);
  const { code, message, retryAfter } = failure;
  if (failure instanceof Explained) return message;
  switch (code) {
    case 'connection_lost':
    case 'timeout':
      return t`The service cannot be reached. Check the network and try again.`;
    case 'rate_limit_minute':
    case 'rate_limit_day':
    case 'api_key_banned':
      return t`Too many requests were sent. Try again in ${formatWait(retryAfter ?? 60)}.`;
    case 'missing_api_key':
    case 'invalid_api_key':
      return t`You are no longer signed in.`;
    case 'insufficient_scope':
      return t`You may not do this. Ask a manager.`;
    case 'service_unavailable':
      return /disk/.test(message)
        ? refusalText(message)
        : t`The service is busy. Try again in a moment.`;
    case 'invalid_cursor':
      return t`The link leads to a part of a list that has changed.`;
    case 'internal_error':
      return t`Something went wrong in the service. Try again. If that does not help, tell whoever runs it.`;
    case 'idempotency_in_progress':
      return t`This is already being sent. Wait a moment.`;
    case 'body_too_large':
      return t`This is too large to be sent.`;
    default:
      return refusalText(message);
  }
}
