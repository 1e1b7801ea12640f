import { mayUse } from '../../domain/caller.ts';
import { Failure, methodNotAllowed, routeNotFound } from '../../domain/failure.ts';
import { insufficientScope } from './refusals.ts';
import type { AdmittedRequest, RequestContext } from './request-context.ts';

/**
 * Refuses a request that was charged but may not run, in the order of the interface: 401 for a bad
 * key, 400 for a bad target, 404 for an unknown path, 405 for a wrong method, 403 for a missing scope.
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
