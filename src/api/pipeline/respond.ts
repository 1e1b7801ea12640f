import { Failure } from '../../domain/failure.ts';
import type { UsageCounter } from '../../domain/usage.ts';
import type { Cors } from '../../http/cors.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { HeaderValues } from '../../http/headers.ts';
import type { HttpResponse } from '../../http/response.ts';
import { buildHeaders } from '../../http/response-template.ts';
import type { RequestLog } from '../../telemetry/log.ts';
import { createRateLimitHeaders } from './rate-limit-headers.ts';
import { internalError } from './refusals.ts';
import type { RequestContext } from './request-context.ts';
import type { ResponseTemplates } from './response-templates.ts';

/** The first status of a server error. */
const ERRORS_FROM = 500;

/** The dependencies of the stage. */
export interface RespondParts {
  readonly cors: Cors;
  readonly templates: ResponseTemplates;
  readonly log: RequestLog;
  readonly usage: UsageCounter;
  /** Returns whether the server is stopping: responses then close their connections. */
  isDraining(): boolean;
}

/** The last stage of the pipeline. */
export interface Responder {
  /** Returns the response to a failed request. Any error but a `Failure` is logged and becomes a 500. */
  failed(context: RequestContext, error: unknown): HttpResponse;
  /** Adds the headers of the stages, and logs the request. */
  finish(context: RequestContext, response: HttpResponse): Response;
}

/** Creates the last stage of the pipeline, the only one that makes a `Response`. */
export function createResponder(parts: RespondParts): Responder {
  const { cors, templates, log, usage, isDraining } = parts;
  const rateLimitHeaders = createRateLimitHeaders();

  function failed({ requestId }: RequestContext, error: unknown): HttpResponse {
    if (!(error instanceof Failure)) {
      log.fault(requestId, error);
      return errorResponse(internalError(requestId));
    }
    if (error.details.cause !== undefined) log.refusal(requestId, error.details.cause);
    return errorResponse(error);
  }

  /** Returns headers that depend on the request and are not in a template. */
  function extraHeaders({ request }: RequestContext): HeaderValues | undefined {
    const origin = cors.enabled ? request.headers.get('origin') : null;
    const closing = isDraining();
    if (origin === null && !closing) return undefined;
    return { ...cors.headersFor(origin), ...(closing && { connection: 'close' }) };
  }

  /** Returns the status and headers of a response. */
  function initOf(context: RequestContext, response: HttpResponse): Response | ResponseInit {
    const { requestId, decision, target, operation } = context;
    const { status, headers, template } = response;
    const extra = extraHeaders(context);
    const limits = decision && rateLimitHeaders(decision);
    if (template !== undefined && limits !== undefined) {
      const filled = template.fill(headers, requestId, limits);
      if (extra === undefined) return filled;
      return { status, headers: { ...Object.fromEntries(filled.headers), ...extra } };
    }
    const constant = target.isApi ? templates.constantHeaders(operation) : undefined;
    const id = { 'x-request-id': requestId };
    const built = buildHeaders(headers, constant, id, limits, extra);
    if (!target.isApi && cors.enabled) built.append('vary', 'Origin');
    return { status, headers: built };
  }

  function finish(context: RequestContext, response: HttpResponse): Response {
    const { requestId, operation, target, caller } = context;
    if (response.status >= ERRORS_FROM && context.isCharged && caller !== undefined) {
      usage.count(caller.keyId, context.decidedAt, 'errors');
    }
    const init = initOf(context, response);
    log.request({
      requestId,
      keyId: caller?.keyId,
      operation: operation?.id,
      method: context.method,
      path: target.loggedPath,
      status: response.status,
      milliseconds: performance.now() - context.startedAt,
      unlogged: response.unlogged,
    });
    return new Response(response.body, init);
  }

  return { failed, finish };
}
