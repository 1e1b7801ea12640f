import type { Decision, WindowStatus } from '../../domain/allowance.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import type { UsageCounter } from '../../domain/usage.ts';
import type { Cors } from '../../http/cors.ts';
import { errorResponse, type HeaderValues, type HttpResponse } from '../../http/response.ts';
import { FAULTS_FROM, type RequestLog } from '../../telemetry/log.ts';
import type { Deprecation, Operation } from '../contract/operation.ts';
import { secondsUntil } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

/** Headers of every response, of the interface and of pages alike. */
const ALWAYS: HeaderValues = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
};

/** The dependencies of the stage. */
export interface RespondParts {
  readonly operations: readonly Operation[];
  readonly baseUrl: string;
  readonly cors: Cors;
  readonly log: RequestLog;
  readonly usage: UsageCounter;
}

/** Creates the last stage of the pipeline, the only one that makes a `Response`. */
export function createResponder(parts: RespondParts) {
  const { cors, log, usage } = parts;
  const headerListOf = createHeaderLists(parts);

  /** Returns the response to a failed request. Any error but a `Failure` is logged and becomes a 500. */
  function failed({ requestId }: RequestContext, error: unknown): HttpResponse {
    if (!(error instanceof Failure)) {
      log.fault(requestId, error);
      return errorResponse(internalError(requestId));
    }
    if (error.details.cause !== undefined) log.refusal(requestId, error.details.cause);
    return errorResponse(error);
  }

  function headersOf(context: RequestContext, own: HeaderValues): Headers {
    const { requestId, decision } = context;
    const { constant, fill } = headerListOf(context);
    if (decision !== undefined) return fill(own, requestId, rateLimitHeaders(decision));
    return new Headers({ ...constant, ...own, 'x-request-id': requestId });
  }

  function toResponse(context: RequestContext, response: HttpResponse): Response {
    const { status, body } = response;
    const made = new Response(body, { status, headers: headersOf(context, response.headers) });
    const { trace, unknown, handling } = context;
    if (trace !== undefined) made.headers.set('traceresponse', trace.response);
    if (unknown !== undefined) made.headers.set('x-ignored-parameters', unknown);
    if (handling !== undefined) made.headers.set('preference-applied', `handling=${handling}`);
    if (cors.enabled) setCors(context, made.headers);
    return made;
  }

  function setCors({ request, target }: RequestContext, headers: Headers): void {
    const values = cors.headersFor(request.headers.get('origin'));
    for (const name in values) headers.set(name, values[name] ?? '');
    // A page may vary by more already.
    if (!target.isApi) headers.append('vary', 'Origin');
  }

  /** Adds the headers of the stages, and logs the request. */
  function finish(context: RequestContext, response: HttpResponse): Response {
    const { requestId, trace, operation, target, caller, decision } = context;
    if (response.status >= FAULTS_FROM && context.isCharged && caller !== undefined) {
      usage.count(caller.keyId, context.decidedAt, 'errors');
    }
    const made = toResponse(context, response);
    log.request({
      requestId,
      trace,
      keyId: caller?.keyId,
      operation: operation?.id,
      method: context.method,
      path: target.loggedPath,
      status: response.status,
      milliseconds: performance.now() - context.startedAt,
      setsBan: decision?.setsBan,
      unlogged: response.unlogged,
    });
    return made;
  }

  return { failed, finish };
}

/** Creates the list of each operation, of other paths under `/v1`, and of pages. */
function createHeaderLists({
  operations,
  baseUrl,
  cors,
}: Pick<RespondParts, 'operations' | 'baseUrl' | 'cors'>): (context: RequestContext) => HeaderList {
  const byOrigin = cors.enabled ? ['Origin'] : [];
  const vary = { vary: ['Authorization', 'Cookie', ...byOrigin].join(', ') };
  const ofPages = createHeaderList(ALWAYS);
  const ofOthers = createHeaderList({ ...ALWAYS, ...vary });
  const ofOperations = new Map(
    operations.map(({ id, deprecation, success }) => {
      const deprecated = deprecation && deprecationHeaders(deprecation, baseUrl);
      const byType = 'csv' in success ? { vary: `${vary.vary}, Accept` } : vary;
      return [id, createHeaderList({ ...ALWAYS, ...byType, ...deprecated })];
    }),
  );

  return ({ target, operation }) => {
    if (!target.isApi) return ofPages;
    return (operation && ofOperations.get(operation.id)) ?? ofOthers;
  };
}

/** The failure of a bug. It reveals nothing about the cause, which is in the log under this id. */
export function internalError(requestId: string): Failure {
  const message = `Something went wrong on our side; tell us the request id ${requestId}.`;
  return new Failure('internal_error', message);
}

/** The headers of responses with the same constant ones. */
interface HeaderList {
  readonly constant: HeaderValues;
  /** Returns the headers of one response, for the runtime to copy: they are only valid until the next call. */
  fill(own: HeaderValues, requestId: string, limits: RateLimitHeaders): Headers;
}

/**
 * Creates a list that is changed from one response to the next, which is faster than a new one for each. Nothing of a
 * caller is left for the next: what every response has is an argument, and what only the last one had is removed.
 */
export function createHeaderList(constant: HeaderValues): HeaderList {
  const headers = new Headers(constant);
  let lastOwn: HeaderValues = {};
  let lastLimits: Partial<RateLimitHeaders> = {};

  function setOwn(own: HeaderValues): void {
    for (const name in lastOwn) {
      if (own[name] !== undefined) continue;
      const value = constant[name];
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    for (const name in own) {
      const value = own[name] ?? '';
      if (value !== lastOwn[name]) headers.set(name, value);
    }
    lastOwn = own;
  }

  function setIfNew(name: keyof RateLimitHeaders, limits: RateLimitHeaders): void {
    if (limits[name] !== lastLimits[name]) headers.set(name, limits[name]);
  }

  return {
    constant,
    fill(own, requestId, limits) {
      if (own !== lastOwn) setOwn(own);
      headers.set('x-request-id', requestId);
      headers.set('x-ratelimit-remaining', limits['x-ratelimit-remaining']);
      headers.set('ratelimit', limits.ratelimit);
      setIfNew('x-ratelimit-limit', limits);
      setIfNew('x-ratelimit-reset', limits);
      setIfNew('ratelimit-policy', limits);
      lastLimits = limits;
      return headers;
    },
  };
}

/**
 * Returns the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link, with the replacement and
 * the page about the deprecation. `baseUrl` ends in `/v1`; the page is relative to its root.
 */
function deprecationHeaders(
  { since, sunset, successor, page }: Deprecation,
  baseUrl: string,
): Readonly<Record<'deprecation' | 'sunset' | 'link', string>> {
  const about = new URL(page, baseUrl).href;
  return {
    deprecation: `@${since / SECOND_MS}`,
    sunset: new Date(sunset).toUTCString(),
    link: [
      `<${baseUrl}${successor}>; rel="successor-version"`,
      `<${about}>; rel="deprecation"`,
      `<${about}>; rel="sunset"`,
    ].join(', '),
  };
}

/**
 * Returns the window that the X-RateLimit headers describe: the one that refused the request, or the
 * one with the least remaining. The minute wins a tie.
 */
function tightest({ quota, refusal }: Decision): WindowStatus {
  const { minute, day } = quota;
  if (day === undefined || refusal === 'minute') return minute;
  if (refusal === 'day') return day;
  return day.remaining < minute.remaining ? day : minute;
}

const MINUTE_S = MINUTE_MS / SECOND_MS;
const DAY_S = DAY_MS / SECOND_MS;

/** The rate limits of a caller, as headers. */
export type RateLimitHeaders = Readonly<
  Record<
    | 'x-ratelimit-limit'
    | 'x-ratelimit-remaining'
    | 'x-ratelimit-reset'
    | 'ratelimit'
    | 'ratelimit-policy',
    string
  >
>;

/**
 * Writes the rate limit headers: X-RateLimit-Limit, -Remaining and -Reset (Unix seconds), and RateLimit and
 * RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-10. During a ban nothing remains, and everything
 * resets when it ends.
 */
export function rateLimitHeaders(decision: Decision): RateLimitHeaders {
  const { at, minute, day, bannedUntil } = decision.quota;
  const window = tightest(decision);
  const remaining = (of: WindowStatus) => (bannedUntil === undefined ? of.remaining : 0);
  const resetsAt = (of: WindowStatus) => bannedUntil ?? of.resetsAt;
  const stateOf = (of: WindowStatus) => `r=${remaining(of)};t=${secondsUntil(resetsAt(of), at)}`;
  const state = `"minute";${stateOf(minute)}`;
  const policy = `"minute";q=${minute.limit};w=${MINUTE_S}`;
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(remaining(window)),
    'x-ratelimit-reset': String(Math.ceil(resetsAt(window) / SECOND_MS)),
    ratelimit: day ? `${state}, "day";${stateOf(day)}` : state,
    'ratelimit-policy': day ? `${policy}, "day";q=${day.limit};w=${DAY_S}` : policy,
  };
}
