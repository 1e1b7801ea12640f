import type { Limiter, Standing } from '../domain/allowance.ts';
import { type Caller, mayUse } from '../domain/caller.ts';
import type { Environment } from '../domain/deployment.ts';
import { Failure } from '../domain/failure.ts';
import type { IdempotencyStorage } from '../domain/idempotency.ts';
import { after, type Later } from '../domain/later.ts';
import type { Records } from '../domain/records.ts';
import type { Storage } from '../domain/storage.ts';
import type { Answer } from '../http/answer.ts';
import { checkMediaType, readBytes } from '../http/body.ts';
import { addressGroup, type TrustedProxies } from '../http/client-address.ts';
import type { Cors } from '../http/cors.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import { problemAnswer } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { requestIdOf } from '../http/request-id.ts';
import { headersOf, prepare } from '../http/respond.ts';
import { createRouteTable } from '../http/route-table.ts';
import { isDecodable, readTarget } from '../http/target.ts';
import type { RequestLog } from '../telemetry/log.ts';
import { charge, refusalOf } from './admit.ts';
import {
  answerOf,
  answerOnce,
  fingerprintOf,
  keptResult,
  type TextAnswer,
  tagged,
  unlessKnown,
} from './answers.ts';
import { authenticate } from './authenticate.ts';
import { deprecationHeaders, refuseAfterSunset } from './deprecation.ts';
import type { Exchange } from './exchange.ts';
import { createOnce } from './idempotency.ts';
import type { KeyDirectory } from './key-directory.ts';
import type { Asking, Operation, RawInput, Services } from './operation.ts';
import { setRateLimit } from './rate-limit-headers.ts';
import { createReadyAnswers } from './ready-answers.ts';
import { insufficientScope, internalError } from './refusals.ts';
import type { Site } from './site.ts';

/** What the pipeline is made of. */
export interface PipelineParts {
  readonly operations: readonly Operation[];
  readonly services: Services;
  readonly idempotency: IdempotencyStorage;
  readonly recordsVersion: Storage['recordsVersion'];
  readonly environment: Environment;
  readonly keys: KeyDirectory;
  readonly limiter: Limiter;
  readonly proxies: TrustedProxies;
  readonly site: Site;
  readonly cors: Cors;
  readonly log: RequestLog;
  /** Whether the server is about to stop: its answers then end their connections. */
  isDraining(): boolean;
}

/** Serves a request; `peer` gives the address that opened its connection. */
export type Pipeline = (request: Request, peer: () => string) => Later<Response>;

const API_ROOT = '/v1';

function isApiPath(path: string): boolean {
  return path.startsWith(API_ROOT) && (path.length === 3 || path[3] === '/');
}

/**
 * The one way of a request, stage by stage. The order is part of the interface: a stranger learns
 * nothing but "401", spends no allowance but that of an address, and makes us read no body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { services, keys, limiter, cors, site, environment, log } = parts;
  const once = createOnce(parts.idempotency);
  const ready = createReadyAnswers();
  const varying = cors.enabled ? 'Authorization, Origin' : 'Authorization';
  const deprecated = deprecationHeaders(services.baseUrl);
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );

  return function serve(request, peer) {
    const exchange = begin(request, peer);
    return after(settle(exchange), (answer) => finish(exchange, answer));
  };

  function begin(request: Request, peer: () => string): Exchange {
    return {
      request,
      peer,
      requestId: requestIdOf(request.headers.get('x-request-id')),
      startedAt: performance.now(),
      target: readTarget(request.url, request.headers.get('host')),
      match: undefined,
      operation: undefined,
      caller: undefined,
      decision: undefined,
      decidedAt: 0,
      idempotencyKey: undefined,
    };
  }

  /** Gives an answer whatever happens, now or later. */
  function settle(exchange: Exchange): Later<Answer> {
    let answer: Later<Answer>;
    try {
      answer = route(exchange);
      if (answer instanceof Promise) answer = answer.catch((error) => failed(exchange, error));
    } catch (error) {
      answer = failed(exchange, error);
    }
    if (exchange.decision !== undefined && !(answer instanceof Promise)) return answer;
    return after(answer, (settled) => after(ensureStanding(exchange), () => settled));
  }

  /**
   * Every answer under `/v1` says where somebody stands. Where nobody was charged (a preflight, a
   * database that does not answer) that is the address.
   */
  function ensureStanding(exchange: Exchange): Later<void> {
    if (exchange.decision !== undefined || !isApiPath(exchange.target.path)) return;
    return after(admit(exchange, undefined, true), () => undefined);
  }

  function route(exchange: Exchange): Later<Answer> {
    const { request, target } = exchange;
    const preflight = cors.preflight(request);
    if (preflight !== undefined) return preflight;
    if (isApiPath(target.path)) return call(exchange);
    if (target.problem !== undefined) throw target.problem;
    return site.serve(request.method, target.path, request.headers);
  }

  /** The stages of a call of the interface. */
  function call(exchange: Exchange): Later<Answer> {
    findOperation(exchange);
    const authorization = exchange.request.headers.get('authorization');
    return after(authenticate(authorization, environment, keys), (identity) => {
      const caller = identity instanceof Failure ? undefined : identity;
      const free = exchange.operation?.free === true && caller !== undefined;
      return after(admit(exchange, caller, free), (standing) => {
        if (identity instanceof Failure) throw identity;
        const operation = requireOperation(exchange);
        requireScope(identity, operation);
        if (operation.deprecation) refuseAfterSunset(operation.deprecation, services.clock);
        return after(readBody(exchange, operation), (body) =>
          perform(exchange, operation, asking(exchange, identity, standing), body),
        );
      });
    });
  }

  /** Charges the caller, or the address of a stranger. Throws where that one is over the limit. */
  function admit(exchange: Exchange, caller: Caller | undefined, free: boolean): Later<Standing> {
    const now = services.clock.now();
    exchange.caller ??= caller;
    exchange.decidedAt = now;
    const payer = caller === undefined ? { address: addressOf(exchange) } : { caller };
    return after(charge(limiter, payer, free, now), (decision) => {
      exchange.decision = decision;
      const refusal = refusalOf(decision, now);
      if (refusal !== undefined) throw refusal;
      return decision.standing;
    });
  }

  function addressOf({ request, peer }: Exchange): string {
    const forwardedFor = request.headers.get('x-forwarded-for');
    return addressGroup(parts.proxies.clientOf(peer(), forwardedFor));
  }

  function findOperation(exchange: Exchange): void {
    const { target, request } = exchange;
    // A target with another problem still names the operation that its answer is one of.
    if (target.problem !== undefined && !isDecodable(target.path)) return;
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
    if (!mayUse(caller, access)) throw insufficientScope(access);
  }

  function readBody(exchange: Exchange, operation: Operation): Later<Uint8Array | undefined> {
    const { request } = exchange;
    const { body, method } = operation;
    if (method === 'POST') {
      exchange.idempotencyKey = readIdempotencyKey(request.headers.get('idempotency-key'));
    }
    if (body === undefined) return undefined;
    checkMediaType(request.headers, body.mediaTypes);
    return readBytes(request);
  }

  function asking(exchange: Exchange, caller: Caller, standing: Standing): Asking {
    const edit = { at: exchange.decidedAt, keyId: caller.keyId };
    return { caller, standing, edit, ifMatch: exchange.request.headers.get('if-match') };
  }

  /** Runs the handler, for an idempotent request once. */
  function perform(
    exchange: Exchange,
    operation: Operation,
    asked: Asking,
    body: Uint8Array | undefined,
  ): Later<Answer> {
    const { match, target, request, idempotencyKey } = exchange;
    const input = { ...asked, path: match?.parameters ?? [], query: readQuery(target.query), body };
    if (operation.method === 'GET') {
      return after(read(exchange, operation, input), (answer) => unlessKnown(request, answer));
    }
    if (idempotencyKey === undefined) {
      return after(operation.run(input, services), (result) => tagged(answerOf(result)));
    }
    const idempotent = {
      keyId: asked.caller.keyId,
      operation: operation.id,
      key: idempotencyKey,
      fingerprint: fingerprintOf(body),
      at: asked.edit.at,
    };
    const work = (storage: Records) =>
      after(operation.run(input, { ...services, storage }), keptResult);
    return once(idempotent, work).then(answerOnce);
  }

  /** Runs a handler that only reads, unless its answer was kept ready and nothing has changed. */
  function read({ target }: Exchange, operation: Operation, input: RawInput): Later<TextAnswer> {
    const version = operation.keptReady === true ? parts.recordsVersion() : undefined;
    const name = `${target.path}?${target.query}`;
    const kept = version === undefined ? undefined : ready.find(name, version);
    if (kept !== undefined) return kept;
    const result = operation.run(input, services);
    // What comes later may be older than the version by then.
    if (result instanceof Promise) return result.then((value) => tagged(answerOf(value)));
    const answer = tagged(answerOf(result));
    if (version !== undefined) ready.keep(name, version, prepare(answer));
    return answer;
  }

  function failed(exchange: Exchange, error: unknown): Answer {
    if (error instanceof Failure) {
      if (error.details.cause !== undefined) log.fault(exchange.requestId, error.details.cause);
      return problemAnswer(error);
    }
    log.fault(exchange.requestId, error);
    return problemAnswer(internalError(exchange.requestId));
  }

  function finish(exchange: Exchange, answer: Answer): Response {
    const { request, requestId, operation, target, decision, decidedAt } = exchange;
    const headers = headersOf(answer);
    headers.set('x-request-id', requestId);
    if (decision !== undefined) setRateLimit(headers, decision, decidedAt);
    if (isApiPath(target.path)) headers.set('vary', varying);
    if (cors.enabled) setAll(headers, cors.headersFor(request.headers.get('origin')));
    if (operation?.deprecation) setAll(headers, deprecated(operation.deprecation));
    if (parts.isDraining()) headers.set('connection', 'close');
    log.request({
      requestId,
      keyId: exchange.caller?.keyId,
      operation: operation?.id,
      method: request.method,
      path: target.path,
      status: answer.status,
      milliseconds: performance.now() - exchange.startedAt,
    });
    return new Response(answer.body, { status: answer.status, headers });
  }
}

function setAll(headers: Headers, fields: Readonly<Record<string, string>>): void {
  for (const name in fields) headers.set(name, fields[name] ?? '');
}
