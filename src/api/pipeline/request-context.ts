import type { Decision } from '../../domain/allowance.ts';
import { redactKeys } from '../../domain/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { Operation } from '../contract/operation.ts';
import type { Authentication } from './authenticate.ts';
import type { ResolvedTarget, ResolveTarget } from './target-cache.ts';

/** One request on its way through the pipeline, and what its stages have found out so far. */
export interface RequestContext {
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
  /** The version of the records, for an operation whose answers are kept ready. */
  version: MaybePromise<number | undefined>;
  /** What the limiter said; absent outside `/v1`. */
  decision: Decision | undefined;
  /** When it was asked, by our own clock: what changes are dated with. */
  decidedAt: number;
}

/** An id is repeated in answers and in the log, where no key may stand. */
function withoutKey(sent: string | null): string | null {
  return sent === null || redactKeys(sent) === sent ? sent : null;
}

/** Begins the exchange of a request. */
export function createRequestContext(request: Request, findPlace: ResolveTarget): RequestContext {
  const { headers, method } = request;
  const target = findPlace(request.url, headers.get('host'));
  return {
    request,
    method,
    requestId: requestIdOf(withoutKey(headers.get('x-request-id'))),
    startedAt: performance.now(),
    target,
    operation: target.route?.byMethod.get(method === 'HEAD' ? 'GET' : method),
    identity: undefined,
    caller: undefined,
    version: undefined,
    decision: undefined,
    decidedAt: 0,
  };
}
