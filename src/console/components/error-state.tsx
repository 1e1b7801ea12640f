import { formatWait } from '../format.ts';
import { withQuery } from '../router.ts';
import type { PetstoreError } from '../service.ts';

interface ErrorStateProps {
  readonly error: PetstoreError;
  readonly retry: () => void;
  /** The text of the button; by default `Try again`. */
  readonly action?: string;
}

/** Shown in the place of what could not be loaded. */
export function ErrorState({ error, retry, action = 'Try again' }: ErrorStateProps) {
  return (
    <section class="state" role="alert">
      <h2>This could not be loaded</h2>
      <p>{explain(error)}</p>
      {error.code === 'invalid_cursor' ? (
        <a class="button" href={withQuery({ page: undefined })}>
          Go to the first page
        </a>
      ) : (
        <button type="button" class="button" onClick={retry}>
          {action}
        </button>
      )}
    </section>
  );
}

/** Returns what a person can do about a failure, in words of ours where the code is known. */
export function explain({ code, message, retryAfter }: PetstoreError): string {
  switch (code) {
    case 'connection_lost':
    case 'timeout':
      return 'The service cannot be reached. Check the network and try again.';
    case 'rate_limit_minute':
    case 'rate_limit_day':
    case 'api_key_banned':
      return `Your key has sent too many requests. Try again in ${formatWait(retryAfter ?? 60)}.`;
    case 'insufficient_scope':
      return 'Your key may not do this. Ask an administrator for a key that may.';
    case 'service_unavailable':
      return 'The service is busy. Try again in a moment.';
    case 'invalid_cursor':
      return 'The link leads to a part of a list that has changed.';
    default:
      return message;
  }
}
