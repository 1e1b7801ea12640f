import type { Scope } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';

/** The key is good, but not for this. */
export function insufficientScope(access: Scope): Failure {
  return new Failure('insufficient_scope', `This needs an API key with the scope "${access}".`);
}

/** Bland, since what went wrong inside is nobody else's business: the log has it by this id. */
export function internalError(requestId: string): Failure {
  const message = `Something went wrong on our side; tell us the request id ${requestId}.`;
  return new Failure('internal_error', message);
}
