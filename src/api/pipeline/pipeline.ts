import { createIdentify, type Identify } from '../../auth/authenticate.ts';
import { Failure } from '../../domain/failure.ts';
import type { Fence } from '../../domain/storage.ts';
import { createClientAddresses } from '../../http/client-address.ts';
import { type HttpResponse, unlessKnown } from '../../http/response.ts';
import { createRouteTable } from '../../http/route-table.ts';
import { SEARCH_PATH, type Site } from '../../site/site.ts';
import type { Operation } from '../contract/operation.ts';
import { createAdmission, type RequestsInProgress, requireAccess } from './admission.ts';
import {
  ASSISTANTS_PATH,
  type AssistantParts,
  createAssistants,
  type SharedStages,
} from './assistants.ts';
import { type AccountParts, createConsoleAccount } from './console-account.ts';
import { createConsoleSession, SESSION_PATH } from './console-session.ts';
import { createExecute, type ExecuteParts } from './execute.ts';
import { createFreeWaits } from './free-waits.ts';
import { createPhotoFiles, isPhotoPath, type PhotoFileParts } from './photo-files.ts';
import { createPublicPages, type PublicPageParts } from './public-pages.ts';
import { type ApplyRateLimit, createRateLimit, type RateLimitParts } from './rate-limit.ts';
import { createRefusalPages } from './refusal-pages.ts';
import { createRequestContext, type RequestContext } from './request-context.ts';
import { createResponder, type RespondParts } from './respond.ts';
import { API_ROOT, createTargetCache } from './target-cache.ts';

/** The dependencies of the pipeline. */
export interface PipelineParts
  extends RateLimitParts,
    ExecuteParts,
    AccountParts,
    PhotoFileParts,
    PublicPageParts,
    AssistantParts,
    RespondParts {
  readonly operations: readonly Operation[];
  readonly baseUrl: string;
  readonly site: Site;
  readonly inProgress: RequestsInProgress;
  readonly fence: Fence;
}

/** Serves a request. */
export type Pipeline = (request: Request) => Response | Promise<Response>;

/**
 * Creates the pipeline: match → authenticate → rate limit → authorize → read → execute → storage →
 * respond. The order is part of the interface: a client without a valid key gets nothing but 401,
 * uses only the quota of its address, and cannot make us read a body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { cors, site, inProgress, fence, cache } = parts;
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );
  const resolveTarget = createTargetCache(table);
  const addresses = createClientAddresses(parts);
  const identify = createIdentify(parts, addresses);
  const admission = createAdmission({ inProgress, fence, identify });
  const { applyRateLimit, chargeAtOnce } = createRateLimit(parts, addresses);
  const waitForFree = createFreeWaits(applyRateLimit);
  const execute = createExecute(parts, admission);
  const responder = createResponder(parts);
  const respond = createRespond(responder, applyRateLimit, parts);
  const shared = { identify, applyRateLimit, addresses, admission, failed: responder.failed };
  const stageAt = createStagesBeside(parts, shared);

  /** Match: preflights, operations and pages. A bad target or path is refused after the charge. */
  async function match(context: RequestContext): Promise<HttpResponse> {
    const { request, method, target } = context;
    const preflight = method === 'OPTIONS' ? cors.preflight(request.headers) : undefined;
    if (preflight !== undefined) return preflight;
    if (target.isApi) return admission.refuse(context) ?? inProgress.track(charge(context));
    if (target.problem !== undefined) throw target.problem;
    const stage = stageAt(method, target.path);
    if (stage !== undefined) return admission.refuse(context) ?? inProgress.track(stage(context));
    return site.serve(method, target, request.headers);
  }

  /** Authenticate, then rate limit: charges the caller, or the address if there is none. */
  async function charge(context: RequestContext): Promise<HttpResponse> {
    const identity = await identify(context);
    context.identity = identity;
    const caller = identity instanceof Failure ? undefined : identity;
    const unmetered = context.operation?.unmetered === true && caller !== undefined;
    if (caller !== undefined) {
      cache.begin(context);
      const free = waitForFree(context, caller, authorize);
      if (free !== undefined) return free;
    }
    await applyRateLimit(context, caller, unmetered);
    return authorize(context);
  }

  /** Authorize, then hand over to the stages in execute.ts: read, execute, storage. */
  async function authorize(context: RequestContext): Promise<HttpResponse> {
    requireAccess(context);
    return execute(context);
  }

  /**
   * Answers from the cache in the same turn, if the key is known and its requests are counted here: waiting for
   * each stage would take a fifth longer. Hands over to the stages where one has to be waited for.
   */
  function answerAtOnce(context: RequestContext): HttpResponse | Promise<HttpResponse> {
    const refusal = admission.refuse(context);
    if (refusal !== undefined) return refusal;
    const caller = parts.keys.recent(context.request.headers.get('authorization') ?? '');
    if (caller === undefined) return inProgress.track(charge(context));
    context.identity = caller;
    cache.begin(context);
    const charged = chargeAtOnce(context, caller);
    if (charged !== undefined) return inProgress.track(charged.then(() => authorize(context)));
    requireAccess(context);
    const stored = cache.stored(context);
    return stored === undefined
      ? inProgress.track(execute(context))
      : unlessKnown(context.request, stored);
  }

  return function serve(request) {
    const context = createRequestContext(request, resolveTarget);
    if (!isPlainRead(context)) return respond(context, match(context));
    try {
      const response = answerAtOnce(context);
      if (response instanceof Promise) return respond(context, response);
      if (context.decision !== undefined) return responder.finish(context, response);
      return respond(context, Promise.resolve(response));
    } catch (error) {
      return respond(context, Promise.reject(error));
    }
  };
}

/** Creates the last stage of a response that is waited for. */
function createRespond(
  { failed, finish }: ReturnType<typeof createResponder>,
  applyRateLimit: ApplyRateLimit,
  { services, clock }: Pick<PipelineParts, 'services' | 'clock'>,
) {
  const asPage = createRefusalPages({ ...services, clock });

  /**
   * Every response under `/v1` reports a quota status. If nobody was charged (a preflight, or a
   * database that is unavailable), it is that of the address.
   */
  async function withQuota(context: RequestContext, response: HttpResponse): Promise<HttpResponse> {
    if (context.decision !== undefined || !context.target.isApi) return response;
    await applyRateLimit(context, undefined, true);
    return response;
  }

  return async function respond(
    context: RequestContext,
    response: Promise<HttpResponse>,
  ): Promise<Response> {
    const made = await response.catch((error) => failed(context, error));
    const shown = context.target.isApi ? made : await asPage(context, made);
    return finish(context, await withQuota(context, shown));
  };
}

/** Returns whether a request only reads, without a wait, and is charged. */
function isPlainRead({ operation, method }: RequestContext): boolean {
  if (operation === undefined || method !== 'GET') return false;
  return operation.waits !== true && operation.unmetered !== true;
}

/** Creates what serves the paths outside `/v1` that are not pages of the site. */
function createStagesBeside(
  parts: PipelineParts,
  shared: SharedStages & { readonly identify: Identify },
) {
  const { identify, applyRateLimit, addresses } = shared;
  const consoleSession = createConsoleSession(parts, applyRateLimit, addresses);
  const consoleAccount = createConsoleAccount(parts, applyRateLimit, addresses, identify);
  const photoFiles = createPhotoFiles(parts, addresses, identify, applyRateLimit);
  const assistants = createAssistants(parts, shared);
  const publicPages = createPublicPages(parts, addresses);
  const search = async (context: RequestContext) => {
    const { request, method, target } = context;
    await applyRateLimit(context, undefined, false);
    return parts.site.serve(method, target, request.headers);
  };

  return (method: string, path: string) => {
    if (path === SESSION_PATH) return consoleSession;
    if (path === ASSISTANTS_PATH) return assistants;
    if (path === SEARCH_PATH) return search;
    if (isPhotoPath(path)) return photoFiles;
    return publicPages.isPublic(path) ? publicPages.serve : consoleAccount(method, path);
  };
}
