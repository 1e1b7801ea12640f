import type { Standing } from '../../domain/allowance.ts';
import { type Caller, mayUse } from '../../domain/caller.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure } from '../../domain/failure.ts';
import { after, afterWith, type Later } from '../../domain/maybe-promise.ts';
import type { Storage } from '../../domain/storage.ts';
import type { Answer } from '../../http/response.ts';
import { createRouteTable } from '../../http/route-table.ts';
import { type AdmissionParts, createAdmission } from './rate-limit.ts';
import { type Authentication, authenticate } from './authenticate.ts';
import { type ConclusionParts, createConclusion } from './respond.ts';
import { refuseAfterSunset } from '../contract/deprecation.ts';
import { beginExchange, type Exchange } from './request-context.ts';
import type { KeyDirectory } from './key-cache.ts';
import type { Load } from '../../overload/load-shedder.ts';
import type { Operation } from '../contract/operation.ts';
import { createPerform, type PerformParts } from './execute.ts';
import { API_ROOT, createPlaces } from './target-cache.ts';
import { insufficientScope } from './refusals.ts';
import type { SealWatch } from './fence-watch.ts';
import type { Site } from '../../site/site.ts';
import { createStrangers } from './client-addresses.ts';

/** What the pipeline is made of. */
export interface PipelineParts extends AdmissionParts, PerformParts, ConclusionParts {
  readonly operations: readonly Operation[];
  readonly environment: Environment;
  readonly keys: KeyDirectory;
  readonly site: Site;
  readonly load: Load;
  readonly seal: Pick<SealWatch, 'refusal'>;
  readonly recordsVersion: Storage['recordsVersion'];
}

/** Serves a request. */
export type Pipeline = (request: Request) => Later<Response>;

/**
 * The one way of a request, stage by stage. The order is part of the interface: a stranger learns
 * nothing but "401", spends no allowance but that of an address, and makes us read no body.
 */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { keys, cors, site, load, seal, environment, clock, recordsVersion } = parts;
  const table = createRouteTable(
    parts.operations.map((operation) => ({ ...operation, path: API_ROOT + operation.path })),
  );
  const findPlace = createPlaces(table);
  const strangers = createStrangers(parts);
  const admit = createAdmission(parts, strangers);
  const perform = createPerform(parts, readmit);
  const { failed, finish } = createConclusion(parts);

  /** The stages of a call of the interface. */
  function call(exchange: Exchange): Later<Answer> {
    const { request, method, startedAt } = exchange;
    const refusal = seal.refusal() ?? load.refusal(method, startedAt);
    if (refusal !== undefined) return refusal;
    return load.track(afterWith(identify(request), exchange, admitCaller));
  }

  function identify(request: Request): Later<Authentication> {
    const isPastLimit = () => strangers.isPastLimit(request);
    return authenticate(request.headers.get('authorization'), environment, keys, isPastLimit);
  }

  /** The key is looked at again: it may have been revoked while the body was on its way. */
  function readmit({ request }: Exchange): Later<Answer | undefined> {
    return after(identify(request), (identity) => {
      if (identity instanceof Failure) throw identity;
      return load.refusalWithBody();
    });
  }

  function admitCaller(exchange: Exchange, identity: Authentication): Later<Answer> {
    exchange.identity = identity;
    const caller = identity instanceof Failure ? undefined : identity;
    const free = exchange.operation?.free === true && caller !== undefined;
    // Asked before the charge, so that both are on their way at once where they have a way to go.
    const mayBeReady = exchange.operation?.keptReady === true && exchange.place.isRemembered;
    if (mayBeReady && caller !== undefined) exchange.version = recordsVersion();
    return afterWith(admit(exchange, caller, free), exchange, performAdmitted);
  }

  function performAdmitted(exchange: Exchange, standing: Standing): Later<Answer> {
    const caller = requireCaller(exchange);
    const operation = requireOperation(exchange);
    requireScope(caller, operation);
    if (operation.deprecation) refuseAfterSunset(operation.deprecation, clock);
    return perform(exchange, operation, caller, standing);
  }

  function route(exchange: Exchange): Later<Answer> {
    const { request, method, place } = exchange;
    const preflight = method === 'OPTIONS' ? cors.preflight(request.headers) : undefined;
    if (preflight !== undefined) return preflight;
    if (place.isApi) return call(exchange);
    if (place.problem !== undefined) throw place.problem;
    return site.serve(method, place.path, request.headers);
  }

  /**
   * Every answer under `/v1` says where somebody stands. Where nobody was charged (a preflight, a
   * database that does not answer) that is the address.
   */
  function withStanding(exchange: Exchange, answer: Answer): Later<Answer> {
    if (exchange.decision !== undefined || !exchange.place.isApi) return answer;
    return after(admit(exchange, undefined, true), () => answer);
  }

  /** Gives an answer whatever happens, now or later. */
  function settle(exchange: Exchange): Later<Answer> {
    let answer: Later<Answer>;
    try {
      answer = route(exchange);
    } catch (error) {
      answer = failed(exchange, error);
    }
    if (!(answer instanceof Promise)) return withStanding(exchange, answer);
    return answer.then(
      (come) => withStanding(exchange, come),
      (error) => withStanding(exchange, failed(exchange, error)),
    );
  }

  return function serve(request) {
    const exchange = beginExchange(request, findPlace);
    return afterWith(settle(exchange), exchange, finish);
  };
}

function requireCaller({ identity }: Exchange): Caller {
  if (identity === undefined) throw new Error('admitted before it was asked who calls');
  if (identity instanceof Failure) throw identity;
  return identity;
}

function requireOperation({ place, operation, method }: Exchange): Operation {
  const { problem, route } = place;
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
