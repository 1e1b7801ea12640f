import { type Caller, keyProblem } from '../domain/api-key.ts';
import type { Environment } from '../domain/deployment.ts';
import { Failure } from '../domain/failure.ts';
import { endedKey, endedSession } from '../domain/key-lifecycle.ts';
import { hashKey } from '../domain/secrets.ts';
import { isSessionToken } from '../domain/session.ts';
import type { ClientAddresses } from '../http/client-address.ts';
import type { PageOrigins } from '../http/page-origin.ts';
import { type KeyCache, lookUpWithin } from './credential-cache.ts';
import type { SessionCache } from './session-cache.ts';

/** The caller, or the reason for a 401. A failure is charged before the client gets it. */
export type Authentication = Caller | Failure;

/** The dependencies of the stage. */
export interface IdentifyParts {
  readonly environment: Environment;
  readonly keys: KeyCache;
  readonly sessions: SessionCache;
  readonly origins: PageOrigins;
}

/** What identifies the caller, and what decides whether a session is in use. */
interface IdentifiableRequest {
  readonly request: Request;
  readonly method: string;
  readonly operation:
    | { readonly background?: boolean; readonly grantsAccess?: boolean }
    | undefined;
}

/** Identifies the caller of a request. */
export type Identify = (context: IdentifiableRequest) => Promise<Authentication>;

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
  async function identifySession(
    { request, method, operation }: IdentifiableRequest,
    cookies: string,
  ): Promise<Authentication> {
    const tokens = sessionTokens(request, cookies, origins);
    const [token = ''] = tokens;
    if (tokens.length === 0) return missingKey();
    const isAllowed = SAFE_METHODS.includes(method) ? origins.mayRead : origins.isSameOrigin;
    if (!isAllowed(request)) return crossSiteRequest();
    // Of two cookies, either may have been planted.
    if (tokens.length > 1 || !isSessionToken(token)) return endedSession();
    const caller = await sessions.find({
      token,
      isActivity: operation?.background !== true,
      mustBeRecent: operation?.grantsAccess === true,
      isPastLimit: () => addresses.isPastLimit(request),
    });
    return caller ?? endedSession();
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

const BEARER = /^bearer(?: +(.*))?$/is;
/** The runtime joins repeated headers with commas. */
const SECOND_BEARER = /, *bearer(?: |$)/i;

/** The longest header that is cached as it was sent. Without padding it has 58 characters. */
const HEADER_MAX = 64;

/**
 * Identifies the caller by the Authorization header (RFC 6750, section 2.1). `isPastLimit` returns
 * whether the address has used up its limit for requests without a key. Messages reveal only what a
 * thief could see in the key itself, never whether it was revoked or expired.
 */
export async function authenticate(
  authorization: string | null,
  environment: Environment,
  keys: KeyCache,
  isPastLimit: () => boolean = () => false,
): Promise<Authentication> {
  const header = authorization ?? '';
  const recent = keys.recent(header);
  if (recent !== undefined) return recent;
  const match = BEARER.exec(header);
  if (match === null && SECOND_BEARER.test(header)) {
    return invalidKey('Send one Authorization header');
  }
  const key = match?.[1]?.trim() ?? '';
  if (key === '') return missingKey();
  return identifyKey(key, header, environment, keys, isPastLimit);
}

/** Identifies the caller by a key, which was sent in `header`. */
export async function identifyKey(
  key: string,
  header: string,
  environment: Environment,
  keys: KeyCache,
  isPastLimit: () => boolean,
): Promise<Authentication> {
  switch (keyProblem(key, environment)) {
    case 'malformed':
      return invalidKey('The API key is malformed: check that you copied all of it');
    case 'other_deployment':
      return invalidKey(`The API key does not belong to the ${environment} deployment`);
    case undefined:
      return findCaller(key, header, keys, isPastLimit);
  }
}

async function findCaller(
  key: string,
  sent: string,
  keys: KeyCache,
  isPastLimit: () => boolean,
): Promise<Authentication> {
  // Padding is not cached: it can make a header as long as 16 KB.
  const header = sent.length <= HEADER_MAX ? sent : `Bearer ${key}`;
  const recent = header === sent ? undefined : keys.recent(header);
  if (recent !== undefined) return recent;
  const caller = await lookUpWithin(keys, hashKey(key), header, isPastLimit);
  return caller ?? endedKey();
}

/** The failure of a request without a key. */
export function missingKey(): Failure {
  return new Failure(
    'missing_api_key',
    'Send your API key in the Authorization header, as "Authorization: Bearer <API key>".',
  );
}

/** The failure of a key that is not valid, for this reason. */
function invalidKey(problem: string): Failure {
  return new Failure('invalid_api_key', `${problem}.`);
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

/** The failure of a request by a page of another origin, or one that cannot be told from it. */
export function crossSiteRequest(): Failure {
  return new Failure(
    'cross_site_request',
    'Only the console itself may use its cookie. Programs send an API key in the Authorization header instead.',
  );
}

/** Returns the values of all cookies of this name in a Cookie header (RFC 6265, section 4.2.1). */
export function cookiesNamed(header: string, name: string): string[] {
  const start = `${name}=`;
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
}
