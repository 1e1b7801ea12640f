import { Failure } from '../../domain/failure.ts';
import type { Answer, Fields } from '../../http/response.ts';
import type { Cors } from '../../http/cors.ts';
import { problemAnswer } from '../../http/error-response.ts';
import { fieldsOf, setAll } from '../../http/response-template.ts';
import type { RequestLog } from '../../telemetry/log.ts';
import { deprecationHeaders } from '../contract/deprecation.ts';
import type { Exchange } from './request-context.ts';
import { setRateLimit } from './rate-limit-headers.ts';
import { internalError } from './refusals.ts';

/** What the last stages are made of. */
export interface ConclusionParts {
  readonly baseUrl: string;
  readonly cors: Cors;
  readonly log: RequestLog;
  /** Whether the server is about to stop: its answers then end their connections. */
  isDraining(): boolean;
}

/** The ends that an exchange can take. */
export interface Conclusion {
  /** The answer to a request that failed. What was no `Failure` is bland, and goes to the log. */
  failed(exchange: Exchange, error: unknown): Answer;
  /** The response: the answer with what all stages have to say, and a line in the log. */
  finish(exchange: Exchange, answer: Answer): Response;
}

/** Makes the last stages of the pipeline, the only ones that make a `Response`. */
export function createConclusion({ baseUrl, cors, log, isDraining }: ConclusionParts): Conclusion {
  const varying = { vary: cors.enabled ? 'Authorization, Origin' : 'Authorization' };
  const deprecated = deprecationHeaders(baseUrl);

  function failed({ requestId }: Exchange, error: unknown): Answer {
    if (!(error instanceof Failure)) {
      log.fault(requestId, error);
      return problemAnswer(internalError(requestId));
    }
    if (error.details.cause !== undefined) log.refusal(requestId, error.details.cause);
    return problemAnswer(error);
  }

  function finish(exchange: Exchange, answer: Answer): Response {
    const { requestId, operation, place, decision } = exchange;
    // What is prepared was so for answers that say where somebody stands.
    const fields = fieldsOf(answer, decision !== undefined);
    fields.set('x-request-id', requestId);
    if (decision !== undefined) setRateLimit(fields, decision);
    if (place.isApi) fields.keep(varying);
    else if (cors.enabled) fields.headers.append('vary', 'Origin');
    const init = withOthers(exchange, answer, fields);
    log.request({
      requestId,
      keyId: exchange.caller?.keyId,
      operation: operation?.id,
      method: exchange.method,
      path: place.loggedPath,
      status: answer.status,
      milliseconds: performance.now() - exchange.startedAt,
      unlogged: answer.unlogged,
    });
    return new Response(answer.body, init);
  }

  /** With the fields that only some answers to the same target have, on a list of their own. */
  function withOthers(
    { request, operation }: Exchange,
    answer: Answer,
    { headers, init }: Fields,
  ): Fields['init'] {
    const origin = cors.enabled ? request.headers.get('origin') : null;
    // An answer that was kept ready says already that its operation is deprecated.
    const deprecation = 'deprecation' in answer.headers ? undefined : operation?.deprecation;
    if (origin === null && deprecation === undefined && !isDraining()) return init;
    const own = new Headers(headers);
    setAll(own, cors.headersFor(origin));
    if (deprecation !== undefined) setAll(own, deprecated(deprecation));
    if (isDraining()) own.set('connection', 'close');
    return { status: answer.status, headers: own };
  }

  return { failed, finish };
}
