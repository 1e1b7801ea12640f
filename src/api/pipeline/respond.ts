import { Failure } from '../../domain/failure.ts';
import type { Cors } from '../../http/cors.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { Fields, HttpResponse } from '../../http/response.ts';
import { fieldsOf, setAll } from '../../http/response-template.ts';
import type { RequestLog } from '../../telemetry/log.ts';
import { deprecationHeaders } from '../contract/deprecation.ts';
import { setRateLimit } from './rate-limit-headers.ts';
import { internalError } from './refusals.ts';
import type { RequestContext } from './request-context.ts';

/** What the last stages are made of. */
export interface RespondParts {
  readonly baseUrl: string;
  readonly cors: Cors;
  readonly log: RequestLog;
  /** Whether the server is about to stop: its answers then end their connections. */
  isDraining(): boolean;
}

/** The ends that an exchange can take. */
export interface Responder {
  /** The answer to a request that failed. What was no `Failure` is bland, and goes to the log. */
  failed(context: RequestContext, error: unknown): HttpResponse;
  /** The response: the answer with what all stages have to say, and a line in the log. */
  finish(context: RequestContext, response: HttpResponse): Response;
}

/** Makes the last stages of the pipeline, the only ones that make a `Response`. */
export function createResponder({ baseUrl, cors, log, isDraining }: RespondParts): Responder {
  const varying = { vary: cors.enabled ? 'Authorization, Origin' : 'Authorization' };
  const deprecated = deprecationHeaders(baseUrl);

  function failed({ requestId }: RequestContext, error: unknown): HttpResponse {
    if (!(error instanceof Failure)) {
      log.fault(requestId, error);
      return errorResponse(internalError(requestId));
    }
    if (error.details.cause !== undefined) log.refusal(requestId, error.details.cause);
    return errorResponse(error);
  }

  function finish(context: RequestContext, response: HttpResponse): Response {
    const { requestId, operation, target, decision } = context;
    // What is prepared was so for answers that say where somebody stands.
    const fields = fieldsOf(response, decision !== undefined);
    fields.set('x-request-id', requestId);
    if (decision !== undefined) setRateLimit(fields, decision);
    if (target.isApi) fields.keep(varying);
    else if (cors.enabled) fields.headers.append('vary', 'Origin');
    const init = withOthers(context, response, fields);
    log.request({
      requestId,
      keyId: context.caller?.keyId,
      operation: operation?.id,
      method: context.method,
      path: target.loggedPath,
      status: response.status,
      milliseconds: performance.now() - context.startedAt,
      unlogged: response.unlogged,
    });
    return new Response(response.body, init);
  }

  /** With the fields that only some answers to the same target have, on a list of their own. */
  function withOthers(
    { request, operation }: RequestContext,
    response: HttpResponse,
    { headers, init }: Fields,
  ): Fields['init'] {
    const origin = cors.enabled ? request.headers.get('origin') : null;
    // An answer that was kept ready says already that its operation is deprecated.
    const deprecation = 'deprecation' in response.headers ? undefined : operation?.deprecation;
    if (origin === null && deprecation === undefined && !isDraining()) return init;
    const own = new Headers(headers);
    setAll(own, cors.headersFor(origin));
    if (deprecation !== undefined) setAll(own, deprecated(deprecation));
    if (isDraining()) own.set('connection', 'close');
    return { status: response.status, headers: own };
  }

  return { failed, finish };
}
