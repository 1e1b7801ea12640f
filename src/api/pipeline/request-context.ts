import type { Authentication } from '../../auth/authenticate.ts';
import type { Decision } from '../../domain/allowance.ts';
import { type Caller, redactKeys } from '../../domain/api-key.ts';
import type { CacheRequest } from '../cache/response-cache.ts';
import type { Operation } from '../contract/operation.ts';
import {
  type Handling,
  type ResolvedTarget,
  type ResolveTarget,
  readHandling,
  unknownParameters,
} from './target-cache.ts';

/** A request in the pipeline, with the results of its stages so far. */
export interface RequestContext extends CacheRequest {
  readonly request: Request;
  readonly method: string;
  readonly requestId: string;
  /** The trace of the caller; undefined if it sent none. */
  readonly trace: Trace | undefined;
  /** Milliseconds of a monotonic clock, for the log. */
  readonly startedAt: number;
  readonly target: ResolvedTarget;
  /** The operation of the path and method; undefined if there is none. */
  readonly operation: Operation | undefined;
  /** Parameters that the operation does not know: see `unknownParameters`. */
  readonly unknown: string | undefined;
  /** What the client prefers; undefined if it does not say, which is lenient. */
  readonly handling: Handling | undefined;
  /** Undefined before authentication. */
  identity: Authentication | undefined;
  /** The caller that is charged; undefined if the address is charged. */
  caller: Caller | undefined;
  /** Whether the request is charged to the caller: it is not if it is refused or unmetered. */
  isCharged: boolean;
  /** Whether what the request waits for was not there when it arrived. */
  hasWaited: boolean;
  /** The decision of the limiter; undefined outside `/v1`. */
  decision: Decision | undefined;
  /** When the limiter decided, by our own clock. Changes of records get this time. */
  decidedAt: number;
}

/** A request that passed authentication, rate limit and authorization. */
export interface AdmittedRequest extends RequestContext {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly decision: Decision;
}

/** Discards an id that contains a key: ids appear in responses and in the log. */
function withoutKey(sent: string | null): string | null {
  return sent === null || redactKeys(sent) === sent ? sent : null;
}

/** Creates the context of a request. */
export function createRequestContext(
  request: Request,
  resolveTarget: ResolveTarget,
): RequestContext {
  const { headers, method } = request;
  const target = resolveTarget(request.url, headers.get('host'));
  const traceparent = headers.get('traceparent');
  const operation = target.route?.byMethod.get(method === 'HEAD' ? 'GET' : method);
  return {
    request,
    method,
    requestId: requestIdOf(withoutKey(headers.get('x-request-id'))),
    trace: traceparent === null ? undefined : joinTrace(traceparent),
    startedAt: performance.now(),
    target,
    operation,
    unknown: operation?.method === 'GET' ? target.unknown : unknownIn(target, operation),
    handling: operation && readHandling(headers.get('prefer')),
    identity: undefined,
    caller: undefined,
    isCharged: false,
    hasWaited: false,
    isCaughtUp: false,
    decision: undefined,
    decidedAt: 0,
  };
}

function unknownIn(target: ResolvedTarget, operation: Operation | undefined): string | undefined {
  const { query, problem } = target;
  if (query === '' || problem !== undefined || operation === undefined) return undefined;
  return unknownParameters(query, operation);
}

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's own request id if it is acceptable, else a new one. */
export function requestIdOf(sent: string | null): string {
  return sent !== null && ACCEPTABLE.test(sent) ? sent : crypto.randomUUID();
}

/** The trace of its caller that a request belongs to (W3C Trace Context). */
interface Trace {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** The id of this request in the trace: 16 such digits. */
  readonly spanId: string;
  /** The value of the `traceresponse` header. */
  readonly response: string;
}

/** Version, trace id, id of the caller's span, flags. A later version than 00 may go on after them. */
const TRACEPARENT =
  /^(?!ff)(?!00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:-.*)?$/;
/** Says that the trace id is random. Returned, since the id is. */
const RANDOM = 0b10;
const SPAN_BYTES = 8;

/**
 * Reads a `traceparent` header. Returns undefined for one that is malformed: the specification has it
 * ignored. The flags returned never say `sampled`, because the log is all that is recorded.
 */
export function joinTrace(traceparent: string): Trace | undefined {
  const [, traceId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || flags === undefined) return undefined;
  const spanId = Buffer.from(crypto.getRandomValues(new Uint8Array(SPAN_BYTES))).toString('hex');
  const returned = Number.parseInt(flags, 16) & RANDOM;
  return { traceId, spanId, response: `00-${traceId}-${spanId}-0${returned}` };
}
