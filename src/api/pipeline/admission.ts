import type { Authentication, Identify } from '../../auth/authenticate.ts';
import { mayUse } from '../../domain/api-key.ts';
import { Failure, methodNotAllowed, routeNotFound } from '../../domain/failure.ts';
import { insufficientScope } from '../../domain/key-lifecycle.ts';
import type { Fence, Obstacle } from '../../domain/storage.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { errorResponse, type HttpResponse } from '../../http/response.ts';
import type { Deprecation } from '../contract/operation.ts';
import type { AdmittedRequest, RequestContext } from './request-context.ts';
import { unknownParametersRefused } from './target-cache.ts';

interface AdmissionParts {
  readonly inProgress: Pick<RequestsInProgress, 'refuses' | 'refusesWithBody'>;
  readonly fence: Fence;
  readonly identify: Identify;
}

/**
 * Checks again what may have changed since a request was authorized. Returns a refusal, or undefined
 * to continue with what the key may do now. Throws a `Failure` if the key no longer has the scope.
 */
type Recheck = (context: AdmittedRequest) => Promise<HttpResponse | undefined>;

/** Decides whether a request is served, apart from limits and scopes. */
export type Admission = ReturnType<typeof createAdmission>;

/** Creates the checks of a service. */
export function createAdmission({ inProgress, fence, identify }: AdmissionParts) {
  function blocked(): HttpResponse | undefined {
    return fence.obstacle && BLOCKED[fence.obstacle];
  }

  const refuseWithBody = () => (inProgress.refusesWithBody() ? OVERLOADED : undefined);

  function recheck(refuse: () => HttpResponse | undefined): Recheck {
    return async (context) => {
      takeOver(context, await identify(context));
      return refuse();
    };
  }

  return {
    /** Returns 503 if the service is fenced or overloaded. */
    refuse: ({ method }: RequestContext) =>
      blocked() ?? (inProgress.refuses(method) ? OVERLOADED : undefined),
    /** Returns 503 if the service is overloaded by requests whose body has arrived. */
    refuseWithBody,
    /** The key may have lost its right meanwhile. Only now the request counts as in progress. */
    afterBody: recheck(refuseWithBody),
    /** A wait may be much longer than anything may take to have an effect, so it checks everything. */
    afterWait: recheck(blocked),
  };
}

/**
 * Refuses a request that has been charged but may not run, in the order that the interface
 * promises: 401 for the key, 400 for the target, 404 for the path, 405 for the method, 403 for the
 * scope, 410 for an operation that was removed, 400 for parameters that the client wants to be known.
 */
export function requireAccess(context: RequestContext): asserts context is AdmittedRequest {
  const { identity, target, operation, method, unknown, handling } = context;
  if (identity === undefined) throw new Error('authorized before it was authenticated');
  if (identity instanceof Failure) throw identity;
  if (target.problem !== undefined) throw target.problem;
  if (target.route === undefined) throw routeNotFound();
  if (operation === undefined) throw methodNotAllowed(method, target.route.allow);
  if (!mayUse(identity, operation.access)) throw insufficientScope(operation.access);
  const { deprecation } = operation;
  if (deprecation !== undefined) refuseAfterSunset(deprecation, context.decidedAt);
  if (handling === 'strict' && unknown !== undefined) {
    throw unknownParametersRefused(unknown, operation);
  }
}

/** Throws `operation_removed` from the sunset on. */
export function refuseAfterSunset(deprecation: Deprecation, now: number): void {
  if (now < deprecation.sunset) return;
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10);
  throw new Failure(
    'operation_removed',
    `This operation was removed on ${day}; use ${deprecation.successor} instead.`,
  );
}

/** Continues a request with the rights that its key has now. */
function takeOver(context: AdmittedRequest, identity: Authentication): void {
  if (identity instanceof Failure) throw identity;
  requireAccess({ ...context, identity });
  const request: RequestContext = context;
  request.identity = identity;
  request.caller = identity;
}

const BLOCKED: Readonly<Record<Obstacle, HttpResponse>> = {
  moved: unavailable(
    'The data of this server has moved to another database. Nothing was changed; try again ' +
      'shortly, or ask the operator for the new address.',
  ),
  upgraded: unavailable(
    'This server is being replaced by a later release. Nothing was changed; try again shortly.',
  ),
  replaced: unavailable(
    'The database of this server is not the one that it opened. Nothing was changed; tell the operator.',
  ),
};

/** Not logged one by one, only counted: an overload can refuse very many. */
const OVERLOADED: HttpResponse = {
  ...unavailable('The service is overloaded; nothing was changed, try again shortly.'),
  unlogged: true,
};

function unavailable(message: string): HttpResponse {
  return errorResponse(new Failure('service_unavailable', message, { retryAfterSeconds: 2 }));
}

/** How many requests may be in progress. */
interface ProgressLimits {
  /** With this many in progress, further ones that would have to wait are refused. */
  readonly maxInProgress: number;
  /** False for the embedded database, which answers reads at once. */
  readonly readsWait: boolean;
}

/** The requests that are in progress. They are bounded, because each that waits holds memory. */
export type RequestsInProgress = ReturnType<typeof createRequestsInProgress>;

/** Creates the count of a service. `waiting` returns how many requests wait for events. */
export function createRequestsInProgress(
  { maxInProgress, readsWait }: ProgressLimits,
  bodies: Pick<AwaitedBodies, 'count' | 'refused'>,
  waiting: () => number,
) {
  /** Requests without a response yet, including those that wait for their body or for events. */
  let unanswered = 0;
  let refusedInProgress = 0;

  const inProgress = () => unanswered - bodies.count() - waiting();
  const leave = () => {
    unanswered--;
  };

  function refuseOver(most: number): boolean {
    if (inProgress() <= most) return false;
    refusedInProgress++;
    return true;
  }

  return {
    /** Decides whether a request gets 503, before it costs anything. */
    refuses: (method: string): boolean =>
      (readsWait || (method !== 'GET' && method !== 'HEAD')) && refuseOver(maxInProgress - 1),
    /** Decides again when a body has arrived: only now does its request count as in progress. */
    refusesWithBody: () => refuseOver(maxInProgress),
    /** Counts a request until its response settles, except while it waits for its body or for events. */
    track<T>(response: Promise<T>): Promise<T> {
      unanswered++;
      // Returning `response.finally(...)` would add two promises before the caller sees it.
      response.then(leave, leave);
      return response;
    },
    /** The load, for the metrics. Counters start at zero with the process. */
    report: () => ({
      inProgress: inProgress(),
      refusedInProgress,
      awaitedBodies: bodies.count(),
      refusedBodies: bodies.refused(),
    }),
  };
}
