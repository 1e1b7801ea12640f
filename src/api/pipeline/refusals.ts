import type { Scope } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';

/** The failure of a valid key that lacks the scope. */
export function insufficientScope(access: Scope): Failure {
  return new Failure('insufficient_scope', `This requires an API key with the scope "${access}".`);
}

/** The failure of a change by a page of another site, or one that cannot be told from it. */
export function crossSiteRequest(): Failure {
  return new Failure(
    'cross_site_request',
    'Only the console itself may change anything with its cookie. Programs send an API key in the Authorization header instead.',
  );
}

/** The failure of a sign-in that anybody on the network could read. */
export function insecureConnection(): Failure {
  return new Failure(
    'insecure_connection',
    'Nobody can sign in here, because this connection is not encrypted and others on the network could read your key. Set up TLS and open the console with https; on the machine of the service itself, http://localhost works too.',
  );
}

const RETRY_SECONDS = 2;

/** The failure of an overloaded service. */
export function overloaded(): Failure {
  return new Failure(
    'service_unavailable',
    'The service is overloaded; nothing was changed, try again shortly.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** The failure of a server whose data has moved, so that its own copy is stale. */
export function moved(): Failure {
  return new Failure(
    'service_unavailable',
    'The data of this server has moved to another database. Nothing was changed; try again ' +
      'shortly, or ask the operator for the new address.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** The failure of a bug. It reveals nothing about the cause, which is in the log under this id. */
export function internalError(requestId: string): Failure {
  const message = `Something went wrong on our side; tell us the request id ${requestId}.`;
  return new Failure('internal_error', message);
}
