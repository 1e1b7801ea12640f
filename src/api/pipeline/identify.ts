import type { Environment } from '../../domain/deployment.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import { isSessionToken } from '../../domain/session.ts';
import { cookiesNamed } from '../../http/cookie.ts';
import type { PageOrigins } from '../../http/page-origin.ts';
import { type Authentication, authenticate, invalidKey, missingKey } from './authenticate.ts';
import type { ClientAddresses } from './client-addresses.ts';
import type { KeyCache } from './key-cache.ts';
import { crossSiteRequest } from './refusals.ts';
import type { RequestContext } from './request-context.ts';
import type { SessionCache } from './session-cache.ts';

/** The dependencies of the stage. */
export interface IdentifyParts {
  readonly environment: Environment;
  readonly keys: KeyCache;
  readonly sessions: SessionCache;
  readonly origins: PageOrigins;
}

/** Identifies the caller of a request. */
export type Identify = (
  context: Pick<RequestContext, 'request' | 'method' | 'operation'>,
) => MaybePromise<Authentication>;

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Creates the stage authenticate. The Authorization header decides if there is one, even an invalid
 * one; otherwise the cookie of a session does.
 */
export function createIdentify(
  { environment, keys, sessions, origins }: IdentifyParts,
  addresses: Pick<ClientAddresses, 'isPastLimit'>,
): Identify {
  function identifySession(
    { request, method, operation }: Parameters<Identify>[0],
    cookies: string,
  ): MaybePromise<Authentication> {
    const tokens = sessionTokens(request, cookies, origins);
    const [token = ''] = tokens;
    if (tokens.length === 0) return missingKey();
    if (!SAFE_METHODS.includes(method) && !origins.isSameOrigin(request)) return crossSiteRequest();
    // Of two cookies, either may have been planted.
    if (tokens.length > 1 || !isSessionToken(token)) return endedSession();
    const found = sessions.find({
      token,
      isActivity: operation?.background !== true,
      isPastLimit: () => addresses.isPastLimit(request),
    });
    return thenDo(found, (caller) => caller ?? endedSession());
  }

  return (context) => {
    const { request } = context;
    const authorization = request.headers.get('authorization');
    const cookies = authorization === null ? request.headers.get('cookie') : null;
    if (cookies !== null) return identifySession(context, cookies);
    const isPastLimit = () => addresses.isPastLimit(request);
    return authenticate(authorization, environment, keys, isPastLimit);
  };
}

const COOKIE = 'petstore_session';

/**
 * Returns the name of the cookie with the token of a session. Browsers accept one that starts with
 * `__Host-` only over https, from this host and for all its paths, so no other host can plant one.
 */
export function cookieName(isHttps: boolean): string {
  return isHttps ? `__Host-${COOKIE}` : COOKIE;
}

/** Returns the tokens in a Cookie header; none if others could have read it on the way. */
export function sessionTokens(
  request: Request,
  cookies: string | null,
  origins: Pick<PageOrigins, 'exposureOf'>,
): readonly string[] {
  if (cookies?.includes(COOKIE) !== true) return [];
  const exposure = origins.exposureOf(request);
  if (exposure === 'exposed') return [];
  return cookiesNamed(cookies, cookieName(exposure === 'https'));
}

function endedSession() {
  return invalidKey('You are not signed in any more: sign in again');
}
