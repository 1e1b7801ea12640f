import { mayUse } from '../../domain/caller.ts';
import { Failure, methodNotAllowed, routeNotFound } from '../../domain/failure.ts';
import { insufficientScope } from './refusals.ts';
import type { AdmittedRequest, RequestContext } from './request-context.ts';

/**
 * Refuses a request that has been charged but may not run, in the order that the interface
 * promises: 401 for the key, 400 for the target, 404 for the path, 405 for the method, 403 for the
 * scope.
 */
export function requireAccess(context: RequestContext): asserts context is AdmittedRequest {
  const { identity, target, operation, method } = context;
  if (identity === undefined) throw new Error('authorized before it was authenticated');
  if (identity instanceof Failure) throw identity;
  if (target.problem !== undefined) throw target.problem;
  if (target.route === undefined) throw routeNotFound();
  if (operation === undefined) throw methodNotAllowed(method, target.route.allow);
  if (!mayUse(identity, operation.access)) throw insufficientScope(operation.access);
}
