import { type Caller, mayUse } from '../domain/caller.ts';
import type { Environment } from '../domain/deployment.ts';
import { Failure } from '../domain/failure.ts';
import { after, type Later } from '../domain/later.ts';
import { type Answer, JSON_TYPE } from '../http/answer.ts';
import { checkMediaType, readBytes } from '../http/body.ts';
import { entityTag, matchesNone } from '../http/conditional.ts';
import type { Cors } from '../http/cors.ts';
import { writeJson } from '../http/json.ts';
import { problemAnswer } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { requestIdOf } from '../http/request-id.ts';
import { respond } from '../http/respond.ts';
import { createRouteTable } from '../http/route-table.ts';
import { readTarget } from '../http/target.ts';
import type { RequestLog } from '../telemetry/log.ts';
import { authenticate } from './authenticate.ts';
import { deprecationHeaders, refuseAfterSunset } from './deprecation.ts';
import type { Exchange } from './exchange.ts';
import type { KeyDirectory } from './key-directory.ts';
import type { Operation, Result, Services } from './operation.ts';
import type { Site } from './site.ts';

/** What the pipeline is made of. */
export interface PipelineParts {
  readonly operations: readonly Operation[];
  readonly services: Services;
  readonly environment: Environment;
  readonly keys: KeyDirectory;
  readonly site: Site;
  readonly cors: Cors;
  readonly log: RequestLog;
  /** Whether the server is about to stop: its answers then end their connections. */
  isDraining(): boolean;
}

export type Pipeline = (request: Request) => Later<Response>;

const API_ROOT = '/v1';

function isApiPath(path: string): boolean {
  return path.startsWith(API_ROOT) && (path.length === 3 || path[3] === '/');
}

/**
 * The one way of a request, stage by stage. The order is part of the interface: a stranger learns
 * nothing but "401", spends no allowance but that of an address, and makes us read no body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { services, keys, cors, site, environment, log } = parts;
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );

  return function serve(request) {
    const exchange = begin(request);
    try {
      return after(settle(exchange), (answer) => finish(exchange, answer));
    } catch (error) {
      return finish(exchange, failed(exchange, error));
    }
  };

  function begin(request: Request): Exchange {
    return {
      request,
      requestId: requestIdOf(request.headers.get('x-request-id')),
      startedAt: performance.now(),
      target: readTarget(request.url, request.headers.get('host')),
      match: undefined,
      operation: undefined,
      caller: undefined,
    };
  }

  /** Gives an answer whatever happens, now or later. */
  function settle(exchange: Exchange): Later<Answer> {
    const answer = cors.preflight(exchange.request) ?? route(exchange);
    return answer instanceof Promise ? answer.catch((error) => failed(exchange, error)) : answer;
  }

  function route(exchange: Exchange): Later<Answer> {
    const { path, problem } = exchange.target;
    if (isApiPath(path)) return serveApi(exchange);
    if (problem !== undefined) throw problem;
    return site.serve(exchange.request.method, path);
  }

  function serveApi(exchange: Exchange): Later<Answer> {
    findOperation(exchange);
    const authorization = exchange.request.headers.get('authorization');
    return after(authenticate(authorization, environment, keys), (authentication) => {
      if (authentication instanceof Failure) throw authentication;
      exchange.caller = authentication;
      const operation = requireOperation(exchange);
      requireScope(authentication, operation);
      if (operation.deprecation) refuseAfterSunset(operation.deprecation, services.clock);
      return after(readBody(exchange, operation), (body) =>
        after(run(exchange, operation, body), (result) => answerOf(exchange, result)),
      );
    });
  }

  function findOperation(exchange: Exchange): void {
    const { target, request } = exchange;
    if (target.problem !== undefined) return;
    exchange.match = table.match(target.path);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    exchange.operation = exchange.match?.route.byMethod.get(method);
  }

  function requireOperation({ target, match, operation, request }: Exchange): Operation {
    if (target.problem !== undefined) throw target.problem;
    if (match === undefined) throw new Failure('route_not_found', 'There is nothing at this path.');
    if (operation !== undefined) return operation;
    const { allow } = match.route;
    const message = `${request.method} is not allowed here; use ${allow.join(', ')}.`;
    throw new Failure('method_not_allowed', message, { allow });
  }

  function requireScope(caller: Caller, { access }: Operation): void {
    if (mayUse(caller, access)) return;
    throw new Failure('insufficient_scope', `This needs an API key with the scope "${access}".`);
  }

  function readBody({ request }: Exchange, { body }: Operation): Later<Uint8Array | undefined> {
    if (body === undefined) return undefined;
    checkMediaType(request.headers, body.mediaTypes);
    return readBytes(request);
  }

  function run(
    { match, target }: Exchange,
    operation: Operation,
    body: Uint8Array | undefined,
  ): Later<Result> {
    const path = match?.parameters ?? [];
    return operation.run({ path, query: readQuery(target.query), body }, services);
  }

  function answerOf({ request, operation }: Exchange, result: Result): Answer {
    if (result.value === undefined) return { status: result.status, body: null, headers: {} };
    const body = writeJson(result.value);
    const headers: Record<string, string> = { 'content-type': JSON_TYPE, ...result.headers };
    if (operation?.method !== 'GET') return { status: result.status, body, headers };
    // Links tell of further pages, so a page whose body stayed the same may still have changed.
    headers['etag'] = entityTag(body, headers['link'] ?? '');
    const known = request.headers.get('if-none-match');
    if (known === null || !matchesNone(known, headers['etag']))
      return { status: 200, body, headers };
    const { 'content-type': _, ...rest } = headers;
    return { status: 304, body: null, headers: rest };
  }

  function failed(exchange: Exchange, error: unknown): Answer {
    if (error instanceof Failure) {
      if (error.details.cause !== undefined) log.fault(exchange.requestId, error.details.cause);
      return problemAnswer(error);
    }
    log.fault(exchange.requestId, error);
    const message = `Something went wrong on our side; tell us the request id ${exchange.requestId}.`;
    return problemAnswer(new Failure('internal_error', message));
  }

  function finish(exchange: Exchange, answer: Answer): Response {
    const { request, requestId, operation, target } = exchange;
    const extra: Record<string, string> = { 'x-request-id': requestId };
    if (isApiPath(target.path)) {
      extra['vary'] = cors.enabled ? 'Authorization, Origin' : 'Authorization';
    }
    if (cors.enabled) Object.assign(extra, cors.headersFor(request.headers.get('origin')));
    if (operation?.deprecation) {
      Object.assign(extra, deprecationHeaders(operation.deprecation, services.baseUrl));
    }
    if (parts.isDraining()) extra['connection'] = 'close';
    log.request({
      requestId,
      keyId: exchange.caller?.keyId,
      operation: operation?.id,
      method: request.method,
      path: target.path,
      status: answer.status,
      milliseconds: performance.now() - exchange.startedAt,
    });
    return respond(answer, extra);
  }
}
