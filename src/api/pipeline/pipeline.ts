import { type Authentication, createIdentify } from '../../auth/authenticate.ts';
import { Failure } from '../../domain/failure.ts';
import { type MaybePromise, recoverWith, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { Fence } from '../../domain/storage.ts';
import { createClientAddresses } from '../../http/client-address.ts';
import type { HttpResponse } from '../../http/response.ts';
import { createRouteTable } from '../../http/route-table.ts';
import type { LoadShedder } from '../../overload/load-shedder.ts';
import type { Site } from '../../site/site.ts';
import { refuseAfterSunset } from '../contract/deprecation.ts';
import type { Operation } from '../contract/operation.ts';
import { createAdmission, requireAccess } from './admission.ts';
import { type ConsoleSessionParts, createConsoleSession, SESSION_PATH } from './console-session.ts';
import { createExecute, type ExecuteParts } from './execute.ts';
import { createFreeWaits } from './free-waits.ts';
import { createPhotoFiles, isPhotoPath, type PhotoFileParts } from './photo-files.ts';
import { createRateLimit, type RateLimitParts } from './rate-limit.ts';
import { createRequestContext, type RequestContext } from './request-context.ts';
import { createResponder, type RespondParts } from './respond.ts';
import { API_ROOT, createTargetCache } from './target-cache.ts';

/** The dependencies of the pipeline. */
export interface PipelineParts
  extends RateLimitParts,
    ExecuteParts,
    ConsoleSessionParts,
    PhotoFileParts,
    RespondParts {
  readonly operations: readonly Operation[];
  readonly baseUrl: string;
  readonly site: Site;
  readonly load: LoadShedder;
  readonly fence: Fence;
}

/** Serves a request. */
export type Pipeline = (request: Request) => MaybePromise<Response>;

/**
 * Creates the pipeline: match → authenticate → rate limit → authorize → read → execute → storage →
 * respond. The order is part of the interface: a client without a valid key gets nothing but 401,
 * uses only the quota of its address, and cannot make us read a body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { cors, site, load, fence, clock, cache } = parts;
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );
  const resolveTarget = createTargetCache(table);
  const addresses = createClientAddresses(parts);
  const identify = createIdentify(parts, addresses);
  const admission = createAdmission({ load, fence, identify });
  const applyRateLimit = createRateLimit(parts, addresses);
  const freeWaits = createFreeWaits(applyRateLimit);
  const consoleSession = createConsoleSession(parts, applyRateLimit, addresses);
  const photoFiles = createPhotoFiles(parts, identify, applyRateLimit);
  const execute = createExecute(parts, admission);
  const { failed, finish } = createResponder(parts);

  /** Match: preflights, operations and pages. A bad target or path is refused after the charge. */
  function match(context: RequestContext): MaybePromise<HttpResponse> {
    const { request, method, target } = context;
    const preflight = method === 'OPTIONS' ? cors.preflight(request.headers) : undefined;
    if (preflight !== undefined) return preflight;
    if (target.isApi) return callApi(context);
    if (target.problem !== undefined) throw target.problem;
    if (target.path === SESSION_PATH) {
      return admission.refuse(context) ?? load.track(consoleSession(context));
    }
    if (isPhotoPath(target.path)) {
      return admission.refuse(context) ?? load.track(photoFiles(context));
    }
    return site.serve(method, target.path, request.headers);
  }

  /** Starts a request under `/v1`, unless the service can serve none: authenticate. */
  function callApi(context: RequestContext): MaybePromise<HttpResponse> {
    return admission.refuse(context) ?? load.track(thenWith(identify(context), context, rateLimit));
  }

  /** Rate limit: charges the caller, or the address if there is none. */
  function rateLimit(
    context: RequestContext,
    identity: Authentication,
  ): MaybePromise<HttpResponse> {
    context.identity = identity;
    const caller = identity instanceof Failure ? undefined : identity;
    const unmetered = context.operation?.unmetered === true && caller !== undefined;
    if (caller !== undefined) {
      cache.begin(context);
      if (freeWaits.admit(context, caller)) return freeWaits.serve(context, caller, authorize);
    }
    return thenWith(applyRateLimit(context, caller, unmetered), context, authorize);
  }

  /** Authorize, then hand over to the stages in execute.ts: read, execute, storage. */
  function authorize(context: RequestContext): MaybePromise<HttpResponse> {
    requireAccess(context);
    const { deprecation } = context.operation;
    if (deprecation !== undefined) refuseAfterSunset(deprecation, clock);
    return execute(context);
  }

  /**
   * Every response under `/v1` reports a quota status. If nobody was charged (a preflight, or a
   * database that is unavailable), it is that of the address.
   */
  function withQuota(context: RequestContext, response: HttpResponse): MaybePromise<HttpResponse> {
    if (context.decision !== undefined || !context.target.isApi) return response;
    return thenDo(applyRateLimit(context, undefined, true), () => response);
  }

  return function serve(request) {
    const context = createRequestContext(request, resolveTarget);
    const response = recoverWith(match, context, failed);
    return thenWith(thenWith(response, context, withQuota), context, finish);
  };
}
