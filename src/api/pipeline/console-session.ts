import * as z from 'zod';
import {
  type Authentication,
  cookieName,
  crossSiteRequest,
  type IdentifyParts,
  identifyKey,
  sessionTokens,
} from '../../auth/authenticate.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { Failure, methodNotAllowed } from '../../domain/failure.ts';
import { secureRandomBytes } from '../../domain/secrets.ts';
import { generateSessionToken, isSessionToken, SESSION_LIFETIME_MS } from '../../domain/session.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader, jsonFromBytes } from '../../http/body.ts';
import type { ClientAddresses } from '../../http/client-address.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import { parseBody } from '../contract/check.ts';
import { orRequired } from '../contract/request-fields.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

/** The path of the two calls of the console that are not part of the interface. */
export const SESSION_PATH = '/console/session';

/** The dependencies of the calls. */
export interface ConsoleSessionParts extends IdentifyParts {
  /** The bodies of sign-ins that are arriving. Strangers send them, so writes have others. */
  readonly signIns: AwaitedBodies;
}

const METHODS = ['POST', 'DELETE'];
const KEY_LENGTH_MAX = 255;
/** A Cookie header has room for hundreds, each of which would cost a write. A browser sends one. */
const TOKENS_MAX = 4;
/** A stranger sends the body, and it holds nothing but a key. */
const BODY_BYTES_MAX = 1_024;

const signInSchema = z.object({
  key: z
    .string({ error: orRequired('must be your API key, as text') })
    .max(KEY_LENGTH_MAX, { error: `must have at most ${KEY_LENGTH_MAX} characters` }),
});

/**
 * Creates the calls: POST exchanges an API key for the cookie of a new session, DELETE ends the
 * session. A sign-in is charged as a request of its key. Anything else is charged to the address,
 * so that keys and cookies cannot be guessed faster here than elsewhere.
 */
export function createConsoleSession(
  parts: ConsoleSessionParts,
  applyRateLimit: ApplyRateLimit,
  addresses: ClientAddresses,
): (context: RequestContext) => Promise<HttpResponse> {
  const { environment, keys, sessions, origins } = parts;
  const readBytes = createBodyReader(parts.signIns, BODY_BYTES_MAX);

  /** Returns the key in the body. */
  async function readKey({ request }: RequestContext): Promise<string> {
    checkMediaType(request.headers, [JSON_TYPE]);
    const bytes = await readBytes(request, senderAt(addresses.addressOf(request)));
    return parseBody(signInSchema, jsonFromBytes(bytes)).key.trim();
  }

  async function identify(context: RequestContext): Promise<Authentication> {
    try {
      const key = await readKey(context);
      const isPastLimit = () => addresses.isPastLimit(context.request);
      return await identifyKey(key, `Bearer ${key}`, environment, keys, isPastLimit);
    } catch (error) {
      if (error instanceof Failure && error.code !== 'service_unavailable') return error;
      throw error;
    }
  }

  async function signIn(context: RequestContext): Promise<HttpResponse> {
    const { request } = context;
    if (!origins.isSafeForCookies(request)) throw insecureConnection();
    const identity = await identify(context);
    if (identity instanceof Failure) {
      await applyRateLimit(context, undefined, false);
      throw identity;
    }
    await applyRateLimit(context, identity, false);
    const token = generateSessionToken(secureRandomBytes);
    await sessions.start(token, identity.keyId, tokensOf(request));
    return cookieResponse(request, token, SESSION_LIFETIME_MS / SECOND_MS);
  }

  async function signOut(context: RequestContext): Promise<HttpResponse> {
    const { request } = context;
    const isPastLimit = () => addresses.isPastLimit(request);
    const tokens = tokensOf(request);
    const ended = await Promise.all(tokens.map((token) => sessions.end({ token, isPastLimit })));
    if (!ended.includes(true)) await applyRateLimit(context, undefined, false);
    return cookieResponse(request, '', 0);
  }

  function tokensOf(request: Request): string[] {
    const cookies = request.headers.get('cookie');
    const tokens = sessionTokens(request, cookies, origins).filter(isSessionToken);
    return tokens.slice(0, TOKENS_MAX);
  }

  function cookieResponse(request: Request, token: string, maxAge: number): HttpResponse {
    const isHttps = origins.exposureOf(request) === 'https';
    const cookie = setCookie(cookieName(isHttps), token, isHttps, maxAge);
    const headers = { 'set-cookie': cookie, 'cache-control': 'no-store' };
    return { status: 204, body: null, headers };
  }

  return async (context) => {
    const { method, request } = context;
    if (!METHODS.includes(method)) throw methodNotAllowed(method, METHODS);
    if (!origins.isSameOrigin(request)) throw crossSiteRequest();
    return method === 'POST' ? signIn(context) : signOut(context);
  };
}

/** Returns the sender of bodies from an address: a negative number, which is the id of no key. */
function senderAt(address: string): bigint {
  return -BigInt(Bun.hash(address)) - 1n;
}

function insecureConnection(): Failure {
  return new Failure(
    'insecure_connection',
    'Nobody can sign in here, because this connection is not encrypted and others on the network could read your key. Set up TLS and open the console with https; on the machine of the service itself, http://localhost works too.',
  );
}

/**
 * Returns a Set-Cookie header for a cookie that scripts cannot read and that the browser sends only
 * with requests of pages of the same site. It lives for `maxAge` seconds; 0 removes it.
 */
function setCookie(name: string, value: string, isHttps: boolean, maxAge: number): string {
  const scope = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;
  return `${name}=${value}; ${scope}${isHttps ? '; Secure' : ''}`;
}
