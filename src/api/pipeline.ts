import { type Caller, mayUse } from '../domain/caller.ts';
import type { Environment } from '../domain/deployment.ts';
import { Failure } from '../domain/failure.ts';
import { after, type Later } from '../domain/later.ts';
import type { Answer } from '../http/answer.ts';
import { createRouteTable, type RouteTable } from '../http/route-table.ts';
import { isDecodable } from '../http/target.ts';
import { type AdmissionParts, createAdmission } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { type ConclusionParts, createConclusion } from './conclude.ts';
import { refuseAfterSunset } from './deprecation.ts';
import { API_ROOT, beginExchange, type Exchange, isApiPath } from './exchange.ts';
import type { KeyDirectory } from './key-directory.ts';
import type { Load } from './load.ts';
import type { Operation } from './operation.ts';
import { createPerform, type PerformParts } from './perform.ts';
import { insufficientScope } from './refusals.ts';
import type { Site } from './site.ts';

/** What the pipeline is made of. */
export interface PipelineParts extends AdmissionParts, PerformParts, ConclusionParts {
  readonly operations: readonly Operation[];
  readonly environment: Environment;
  readonly keys: KeyDirectory;
  readonly site: Site;
  readonly load: Load;
}

/** Serves a request; `peer` gives the address that opened its connection. */
export type Pipeline = (request: Request, peer: () => string) => Later<Response>;

/**
 * The one way of a request, stage by stage. The order is part of the interface: a stranger learns
 * nothing but "401", spends no allowance but that of an address, and makes us read no body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { keys, cors, site, load, environment, clock } = parts;
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );
  const admit = createAdmission(parts);
  const perform = createPerform(parts);
  const { failed, finish } = createConclusion(parts);

  /** The stages of a call of the interface. */
  function call(exchange: Exchange): Later<Answer> {
    matchOperation(table, exchange);
    const refusal = load.refusal(exchange.request.method, exchange.startedAt);
    if (refusal !== undefined) return refusal;
    const authorization = exchange.request.headers.get('authorization');
    return after(authenticate(authorization, environment, keys), (identity) => {
      const caller = identity instanceof Failure ? undefined : identity;
      const free = exchange.operation?.free === true && caller !== undefined;
      return after(admit(exchange, caller, free), (standing) => {
        if (identity instanceof Failure) throw identity;
        const operation = requireOperation(exchange);
        requireScope(identity, operation);
        if (operation.deprecation) refuseAfterSunset(operation.deprecation, clock);
        const edit = { at: exchange.decidedAt, keyId: identity.keyId };
        const ifMatch = exchange.request.headers.get('if-match');
        return perform(exchange, operation, { caller: identity, standing, edit, ifMatch });
      });
    });
  }

  function route(exchange: Exchange): Later<Answer> {
    const { request, target } = exchange;
    const preflight = cors.preflight(request);
    if (preflight !== undefined) return preflight;
    if (isApiPath(target.path)) return call(exchange);
    if (target.problem !== undefined) throw target.problem;
    return site.serve(request.method, target.path, request.headers);
  }

  /**
   * Every answer under `/v1` says where somebody stands. Where nobody was charged (a preflight, a
   * database that does not answer) that is the address.
   */
  function ensureStanding(exchange: Exchange): Later<unknown> {
    if (exchange.decision !== undefined || !isApiPath(exchange.target.path)) return undefined;
    return admit(exchange, undefined, true);
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

  return function serve(request, peer) {
    const exchange = beginExchange(request, peer);
    return after(load.track(settle(exchange)), (answer) => finish(exchange, answer));
  };
}

/** Notes which operation path and method name. Refuses nothing yet. */
function matchOperation(table: RouteTable<Operation>, exchange: Exchange): void {
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
