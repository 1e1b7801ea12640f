import * as z from 'zod';
import {
  type Authentication,
  cookieName,
  crossSiteRequest,
  type IdentifyParts,
  identifyKey,
  sessionTokens,
} from '../../auth/authenticate.ts';
import type { ProvenPerson, SignIns } from '../../auth/sign-ins.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { Failure, methodNotAllowed } from '../../domain/failure.ts';
import { PASSWORD_MAX } from '../../domain/password.ts';
import { EMAIL_MAX } from '../../domain/person.ts';
import { secureRandomBytes } from '../../domain/secrets.ts';
import { generateSessionToken, isSessionToken, SESSION_LIFETIME_MS } from '../../domain/session.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader, jsonFromBytes } from '../../http/body.ts';
import type { ClientAddresses } from '../../http/client-address.ts';
import type { JsonValue } from '../../http/json.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import { parseBody } from '../contract/check.ts';
import { orRequired } from '../contract/request-fields.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

/** The path of the calls that sign in and out. */
export const SESSION_PATH = '/console/session';

/** The dependencies of the calls. */
export interface ConsoleSessionParts extends IdentifyParts {
  /** The bodies of sign-ins that are arriving. Strangers send them, so writes have others. */
  readonly signInBodies: AwaitedBodies;
  readonly signIns: SignIns;
}

/** A sign-in with a key has no password. */
type Proven = Pick<ProvenPerson, 'caller'> & Partial<ProvenPerson>;

const METHODS = ['POST', 'DELETE'];
const KEY_LENGTH_MAX = 255;
/** A Cookie header has room for hundreds, each of which would cost a write. A browser sends one. */
const TOKENS_MAX = 4;
/** A stranger sends the body, and it holds nothing but two passwords. */
const BODY_BYTES_MAX = 16_384;

const keySchema = z.object({
  key: z
    .string({ error: orRequired('must be your API key, as text') })
    .max(KEY_LENGTH_MAX, { error: `must have at most ${KEY_LENGTH_MAX} characters` }),
});

/** A text that somebody types, no longer than one could be. */
export const typedText = (what: string, max: number) =>
  z
    .string({ error: orRequired(`must be ${what}, as text`) })
    .min(1, { error: 'must not be empty' })
    // A character may be two units of UTF-16.
    .max(2 * max, { error: `must have at most ${max} characters` });

const passwordSchema = z.object({
  email: typedText('your e-mail address', EMAIL_MAX),
  password: typedText('your password', PASSWORD_MAX),
});

/** Creates the reader of the JSON of calls that strangers may send. */
export function createConsoleBodies(
  { signInBodies }: Pick<ConsoleSessionParts, 'signInBodies'>,
  addresses: ClientAddresses,
): (context: RequestContext) => Promise<JsonValue> {
  const readBytes = createBodyReader(signInBodies, BODY_BYTES_MAX);
  return async ({ request }) => {
    checkMediaType(request.headers, [JSON_TYPE]);
    return jsonFromBytes(await readBytes(request, senderAt(addresses.addressOf(request))));
  };
}

/**
 * Creates the calls: POST exchanges an API key, or an e-mail address and a password, for the cookie of a
 * new session; DELETE ends the session. A sign-in is charged as a request of its key. Anything else is
 * charged to the address, so that keys and cookies cannot be guessed faster here than elsewhere. To check a
 * password takes so long that it is charged to the address before, right or wrong.
 */
export function createConsoleSession(
  parts: ConsoleSessionParts,
  applyRateLimit: ApplyRateLimit,
  addresses: ClientAddresses,
): (context: RequestContext) => Promise<HttpResponse> {
  const { environment, keys, sessions, origins, signIns } = parts;
  const readBody = createConsoleBodies(parts, addresses);

  async function identify(body: JsonValue, request: Request): Promise<Authentication> {
    const key = parseBody(keySchema, body).key.trim();
    const isPastLimit = () => addresses.isPastLimit(request);
    return identifyKey(key, `Bearer ${key}`, environment, keys, isPastLimit);
  }

  async function prove(context: RequestContext): Promise<Proven | Failure> {
    try {
      const body = await readBody(context);
      if (typeof body === 'object' && body !== null && 'key' in body) {
        const caller = await identify(body, context.request);
        return caller instanceof Failure ? caller : { caller };
      }
      const sent = parseBody(passwordSchema, body);
      await applyRateLimit(context, undefined, false);
      return await signIns.signIn({ ...sent, address: addresses.addressOf(context.request) });
    } catch (error) {
      if (!(error instanceof Failure) || context.decision !== undefined) throw error;
      if (error.code === 'service_unavailable') throw error;
      return error;
    }
  }

  async function signIn(context: RequestContext): Promise<HttpResponse> {
    const { request } = context;
    if (!origins.isSafeForCookies(request)) throw insecureConnection();
    const proven = await prove(context);
    if (proven instanceof Failure) {
      await applyRateLimit(context, undefined, false);
      throw proven;
    }
    const { caller, passwordHash } = proven;
    await applyRateLimit(context, caller, false);
    const token = generateSessionToken(secureRandomBytes);
    await sessions.start(token, { keyId: caller.keyId, passwordHash }, tokensOf(request));
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
export function senderAt(address: string): bigint {
  return -BigInt(Bun.hash(address)) - 1n;
}

/** The failure of a call with a secret that others on the network could read. */
export function insecureConnection(): Failure {
  return new Failure(
    'insecure_connection',
    'Nobody can sign in here, because this connection is not encrypted and others on the network could read your password or key. Set up TLS and open the console with https; on the machine of the service itself, http://localhost works too.',
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
