import type { QuotaStatus } from '../../domain/allowance.ts';
import { type Caller, mayUse } from '../../domain/caller.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure } from '../../domain/failure.ts';
import { type MaybePromise, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { Storage } from '../../domain/storage.ts';
import type { HttpResponse } from '../../http/response.ts';
import { createRouteTable } from '../../http/route-table.ts';
import type { LoadShedder } from '../../overload/load-shedder.ts';
import type { Site } from '../../site/site.ts';
import { refuseAfterSunset } from '../contract/deprecation.ts';
import type { Operation } from '../contract/operation.ts';
import { type Authentication, authenticate } from './authenticate.ts';
import { createClientAddresses } from './client-addresses.ts';
import { createExecute, type ExecuteParts } from './execute.ts';
import type { FenceWatch } from './fence-watch.ts';
import type { KeyCache } from './key-cache.ts';
import { createRateLimit, type RateLimitParts } from './rate-limit.ts';
import { insufficientScope } from './refusals.ts';
import { createRequestContext, type RequestContext } from './request-context.ts';
import { createResponder, type RespondParts } from './respond.ts';
import { API_ROOT, createTargetCache } from './target-cache.ts';

/** What the pipeline is made of. */
export interface PipelineParts extends RateLimitParts, ExecuteParts, RespondParts {
  readonly operations: readonly Operation[];
  readonly environment: Environment;
  readonly keys: KeyCache;
  readonly site: Site;
  readonly load: LoadShedder;
  readonly seal: Pick<FenceWatch, 'refusal'>;
  readonly recordsVersion: Storage['recordsVersion'];
}

/** Serves a request. */
export type Pipeline = (request: Request) => MaybePromise<Response>;

/**
 * The one way of a request, stage by stage. The order is part of the interface: a stranger learns
 * nothing but "401", spends no allowance but that of an address, and makes us read no body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { keys, cors, site, load, seal: fence, environment, clock, recordsVersion } = parts;
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );
  const findPlace = createTargetCache(table);
  const addresses = createClientAddresses(parts);
  const admit = createRateLimit(parts, addresses);
  const perform = createExecute(parts, readmit);
  const { failed, finish } = createResponder(parts);

  /** The stages of a call of the interface. */
  function call(context: RequestContext): MaybePromise<HttpResponse> {
    const { request, method, startedAt } = context;
    const refusal = fence.refusal() ?? load.refusal(method, startedAt);
    if (refusal !== undefined) return refusal;
    return load.track(thenWith(identify(request), context, admitCaller));
  }

  function identify(request: Request): MaybePromise<Authentication> {
    const isPastLimit = () => addresses.isPastLimit(request);
    return authenticate(request.headers.get('authorization'), environment, keys, isPastLimit);
  }

  /** The key is looked at again: it may have been revoked while the body was on its way. */
  function readmit({ request }: RequestContext): MaybePromise<HttpResponse | undefined> {
    return thenDo(identify(request), (identity) => {
      if (identity instanceof Failure) throw identity;
      return load.refusalWithBody();
    });
  }

  function admitCaller(
    context: RequestContext,
    identity: Authentication,
  ): MaybePromise<HttpResponse> {
    context.identity = identity;
    const caller = identity instanceof Failure ? undefined : identity;
    const unmetered = context.operation?.unmetered === true && caller !== undefined;
    // Asked before the charge, so that both are on their way at once where they have a way to go.
    const mayBeReady = context.operation?.cacheable === true && context.target.isCached;
    if (mayBeReady && caller !== undefined) context.version = recordsVersion();
    return thenWith(admit(context, caller, unmetered), context, performAdmitted);
  }

  function performAdmitted(
    context: RequestContext,
    quota: QuotaStatus,
  ): MaybePromise<HttpResponse> {
    const caller = requireCaller(context);
    const operation = requireOperation(context);
    requireScope(caller, operation);
    if (operation.deprecation) refuseAfterSunset(operation.deprecation, clock);
    return perform(context, operation, caller, quota);
  }

  function route(context: RequestContext): MaybePromise<HttpResponse> {
    const { request, method, target } = context;
    const preflight = method === 'OPTIONS' ? cors.preflight(request.headers) : undefined;
    if (preflight !== undefined) return preflight;
    if (target.isApi) return call(context);
    if (target.problem !== undefined) throw target.problem;
    return site.serve(method, target.path, request.headers);
  }

  /**
   * Every answer under `/v1` says where somebody stands. Where nobody was charged (a preflight, a
   * database that does not answer) that is the address.
   */
  function withStanding(
    context: RequestContext,
    response: HttpResponse,
  ): MaybePromise<HttpResponse> {
    if (context.decision !== undefined || !context.target.isApi) return response;
    return thenDo(admit(context, undefined, true), () => response);
  }

  /** Gives an answer whatever happens, now or later. */
  function settle(context: RequestContext): MaybePromise<HttpResponse> {
    let response: MaybePromise<HttpResponse>;
    try {
      response = route(context);
    } catch (error) {
      response = failed(context, error);
    }
    if (!(response instanceof Promise)) return withStanding(context, response);
    return response.then(
      (come) => withStanding(context, come),
      (error) => withStanding(context, failed(context, error)),
    );
  }

  return function serve(request) {
    const context = createRequestContext(request, findPlace);
    return thenWith(settle(context), context, finish);
  };
}

function requireCaller({ identity }: RequestContext): Caller {
  if (identity === undefined) throw new Error('admitted before it was asked who calls');
  if (identity instanceof Failure) throw identity;
  return identity;
}

function requireOperation({ target, operation, method }: RequestContext): Operation {
  const { problem, route } = target;
  if (problem !== undefined) throw problem;
  if (route === undefined) throw new Failure('route_not_found', 'There is nothing at this path.');
  if (operation !== undefined) return operation;
  const { allow } = route;
  const message = `${method} is not allowed here; use ${allow.join(', ')}.`;
  throw new Failure('method_not_allowed', message, { allow });
}

function requireScope(caller: Caller, { access }: Operation): void {
  if (!mayUse(caller, access)) throw insufficientScope(access);
}
