import type { Decision } from '../domain/allowance.ts';
import { hideKeyTexts } from '../domain/api-key.ts';
import type { Caller } from '../domain/caller.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { RouteMatch } from '../http/route-table.ts';
import { decodeOnce, isDecodable, readTarget, type Target } from '../http/target.ts';
import type { Operation } from './operation.ts';

/** Where the interface begins: everything under it needs a key. */
export const API_ROOT = '/v1';

const SLASH = '/';

/** Whether a path belongs to the interface, however its characters are encoded. */
export function isApiPath(path: string): boolean {
  if (path.startsWith(API_ROOT)) {
    return path.length === API_ROOT.length || path[API_ROOT.length] === SLASH;
  }
  return path.startsWith('/%') && isDecodable(path) && isApiPath(decodeOnce(path));
}

/** One request on its way through the pipeline, and what its stages have found out so far. */
export interface Exchange {
  readonly request: Request;
  /** The address of whoever opened the connection; asked for only where it matters. */
  readonly peer: () => string;
  readonly requestId: string;
  /** Milliseconds of a clock that never steps, for the log. */
  readonly startedAt: number;
  readonly target: Target;
  match: RouteMatch<Operation> | undefined;
  /** The operation that path and method name, where there is one. */
  operation: Operation | undefined;
  caller: Caller | undefined;
  /** What the limiter said; absent outside `/v1`. */
  decision: Decision | undefined;
  /** When it was asked, by our own clock: what changes are dated with. */
  decidedAt: number;
}

/** An id is repeated in answers and in the log, where no key may stand. */
function withoutKey(sent: string | null): string | null {
  return sent === null || hideKeyTexts(sent) === sent ? sent : null;
}

/** Begins the exchange of a request. */
export function beginExchange(request: Request, peer: () => string): Exchange {
  return {
    request,
    peer,
    requestId: requestIdOf(withoutKey(request.headers.get('x-request-id'))),
    startedAt: performance.now(),
    target: readTarget(request.url, request.headers.get('host')),
    match: undefined,
    operation: undefined,
    caller: undefined,
    decision: undefined,
    decidedAt: 0,
  };
}
