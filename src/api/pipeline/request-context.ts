import type { Decision } from '../../domain/allowance.ts';
import { redactKeys } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { CacheRequest } from '../cache/response-cache.ts';
import type { Operation } from '../contract/operation.ts';
import type { Authentication } from './authenticate.ts';
import type { ResolvedTarget, ResolveTarget } from './target-cache.ts';

/** One request on its way through the pipeline, and what its stages have found so far. */
export interface RequestContext extends CacheRequest {
  readonly request: Request;
  readonly method: string;
  readonly requestId: string;
  /** Milliseconds of a clock that never steps, for the log. */
  readonly startedAt: number;
  readonly target: ResolvedTarget;
  /** The operation that path and method name, where there is one. */
  readonly operation: Operation | undefined;
  /** Who calls, or why that is not known; absent until that was looked up. */
  identity: Authentication | undefined;
  /** Who is charged, unless it is an address. */
  caller: Caller | undefined;
  /** What the limiter said; absent outside `/v1`. */
  decision: Decision | undefined;
  /** When it was asked, by our own clock: what changes are dated with. */
  decidedAt: number;
}

/** A request that passed authentication and rate limit, at an operation that its key may use. */
export interface AdmittedRequest extends RequestContext {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly decision: Decision;
}

/** The id is repeated in responses and in the log, where no key may appear. */
function withoutKey(sent: string | null): string | null {
  return sent === null || redactKeys(sent) === sent ? sent : null;
}

/** Starts the context of a request. */
export function createRequestContext(
  request: Request,
  resolveTarget: ResolveTarget,
): RequestContext {
  const { headers, method } = request;
  const target = resolveTarget(request.url, headers.get('host'));
  return {
    request,
    method,
    requestId: requestIdOf(withoutKey(headers.get('x-request-id'))),
    startedAt: performance.now(),
    target,
    operation: target.route?.byMethod.get(method === 'HEAD' ? 'GET' : method),
    identity: undefined,
    caller: undefined,
    recordsVersion: undefined,
    decision: undefined,
    decidedAt: 0,
  };
}
