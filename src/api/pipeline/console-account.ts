import * as z from 'zod';
import {
  crossSiteRequest,
  type Identify,
  missingKey,
  sessionTokens,
} from '../../auth/authenticate.ts';
import type { Caller } from '../../domain/api-key.ts';
import type { Clock } from '../../domain/clock.ts';
import { Failure, methodNotAllowed } from '../../domain/failure.ts';
import { PASSWORD_MAX } from '../../domain/password.ts';
import { type PersonStorage, STAFF_LANGUAGES } from '../../domain/person.ts';
import { HASH_PREFIX_LENGTH, hashKey } from '../../domain/secrets.ts';
import type { ClientAddresses } from '../../http/client-address.ts';
import { type JsonValue, type WritableJson, writeJson } from '../../http/json.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import { parseBody } from '../contract/check.ts';
import { oneOf } from '../contract/request-fields.ts';
import { timeText } from '../contract/response-fields.ts';
import {
  type ConsoleSessionParts,
  createConsoleBodies,
  insecureConnection,
  typedText,
} from './console-session.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

const INVITATION_PATH = '/console/invitation';
const PASSWORD_PATH = '/console/password';
const LANGUAGE_PATH = '/console/language';
/** All sessions of the person who asks, or one of them. */
const SESSIONS_PATH = /^\/console\/sessions(?:\/([0-9a-f]+))?$/;

const SECRET_MAX = 100;
const invitationSchema = z.object({
  invitation: typedText('the secret of the invitation', SECRET_MAX),
  password: typedText('the new password', PASSWORD_MAX),
});
const changeSchema = z.object({
  current: typedText('your current password', PASSWORD_MAX),
  password: typedText('the new password', PASSWORD_MAX),
});

const languageSchema = z.object({ language: oneOf(STAFF_LANGUAGES).nullable() });

type Call = (context: RequestContext) => Promise<HttpResponse>;

/** The person who is signed in, and the hash of their session. */
interface SignedIn {
  readonly caller: Caller;
  readonly sessionHash: string;
}

/** The dependencies of the calls. */
export interface AccountParts extends ConsoleSessionParts {
  readonly people: Pick<PersonStorage, 'find' | 'update'>;
  readonly clock: Clock;
}

/** Creates the calls about the language of the person who is signed in. */
function createLanguageCalls(
  { people, clock }: AccountParts,
  signedIn: (context: RequestContext) => Promise<SignedIn>,
  readBody: (context: RequestContext) => Promise<JsonValue>,
): Readonly<Record<string, Call>> {
  return {
    async GET(context) {
      const { caller } = await signedIn(context);
      const { language } = (await people.find(caller.keyId)) ?? { language: null };
      return json({ language });
    },
    async POST(context) {
      const { caller } = await signedIn(context);
      const { language } = parseBody(languageSchema, await readBody(context));
      const stamp = { at: clock.now(), keyId: caller.keyId };
      const changed = await people.update(caller.keyId, stamp, (now) => ({ ...now, language }));
      if (changed === undefined) throw noAccount();
      return DONE;
    },
  };
}

/**
 * Creates the calls of the console about the caller's own account: accepting an invitation, changing password and
 * language, and ending sessions. Returns the call of a method and path, if there is one. Those that check a password
 * are charged to the address first, as sign-ins are, and then to the key.
 */
export function createConsoleAccount(
  parts: AccountParts,
  applyRateLimit: ApplyRateLimit,
  addresses: ClientAddresses,
  identify: Identify,
): (method: string, path: string) => Call | undefined {
  const { origins, sessions, signIns } = parts;
  const readBody = createConsoleBodies(parts, addresses);

  function requireSafe({ request }: RequestContext): void {
    if (!origins.isSafeForCookies(request)) throw insecureConnection();
  }

  /** Charges the person who is signed in. The cookie alone counts: these calls are about its session. */
  async function signedIn(context: RequestContext): Promise<SignedIn> {
    const { headers } = context.request;
    const identity = headers.has('authorization') ? missingKey() : await identify(context);
    const caller = identity instanceof Failure ? undefined : identity;
    await applyRateLimit(context, caller, false);
    if (identity instanceof Failure) throw identity;
    const [token = ''] = sessionTokens(context.request, headers.get('cookie'), origins);
    return { caller: identity, sessionHash: hashKey(token) };
  }

  async function acceptInvitation(context: RequestContext): Promise<HttpResponse> {
    if (!origins.isSameOrigin(context.request)) throw crossSiteRequest();
    requireSafe(context);
    await applyRateLimit(context, undefined, false);
    const sent = parseBody(invitationSchema, await readBody(context));
    await signIns.acceptInvitation({ ...sent, address: addresses.addressOf(context.request) });
    return DONE;
  }

  async function changePassword(context: RequestContext): Promise<HttpResponse> {
    requireSafe(context);
    await applyRateLimit(context, undefined, false);
    const { caller, sessionHash } = await signedIn(context);
    const sent = parseBody(changeSchema, await readBody(context));
    if (caller.plan.name !== 'staff') throw noPassword();
    const address = addresses.addressOf(context.request);
    await signIns.changePassword({ ...sent, id: caller.keyId, sessionHash, address });
    return DONE;
  }

  async function listSessions(context: RequestContext): Promise<HttpResponse> {
    const { caller, sessionHash } = await signedIn(context);
    const listed = await sessions.list(caller.keyId);
    return json(
      listed.map(({ hash, createdAt, lastUsedAt }) => ({
        id: idOf(hash),
        createdAt: timeText(createdAt),
        lastUsedAt: timeText(lastUsedAt),
        isCurrent: hash === sessionHash,
      })),
    );
  }

  async function endSession(context: RequestContext, id: string): Promise<HttpResponse> {
    const { caller } = await signedIn(context);
    const found = (await sessions.list(caller.keyId)).find(({ hash }) => idOf(hash) === id);
    // One that has ended meanwhile is what was wanted.
    if (found !== undefined) await sessions.remove(found.hash);
    return DONE;
  }

  const language = createLanguageCalls(parts, signedIn, readBody);
  return (method, path) => {
    if (path === INVITATION_PATH && method === 'POST') return acceptInvitation;
    if (path === PASSWORD_PATH) return allow(method, { POST: changePassword });
    if (path === LANGUAGE_PATH) return allow(method, language);
    const [isSessions, id] = SESSIONS_PATH.exec(path) ?? [];
    if (isSessions === undefined) return undefined;
    if (id === undefined) return allow(method, { GET: listSessions });
    return allow(method, { DELETE: (context) => endSession(context, id) });
  };
}

/** Returns the call of a method. Throws `method_not_allowed`. */
function allow(method: string, calls: Readonly<Record<string, Call>>): Call {
  const call = calls[method];
  if (call === undefined) throw methodNotAllowed(method, Object.keys(calls));
  return call;
}

/** What others may know of a session: with it alone nobody finds the token. */
function idOf(hash: string): string {
  return hash.slice(0, HASH_PREFIX_LENGTH);
}

const DONE: HttpResponse = { status: 204, body: null, headers: { 'cache-control': 'no-store' } };

function json(value: WritableJson): HttpResponse {
  const headers = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' };
  return { status: 200, body: writeJson(value), headers };
}

function noAccount(): Failure {
  return new Failure('conflict', 'You signed in with an API key, which has no account.');
}

function noPassword(): Failure {
  return new Failure('conflict', 'You signed in with an API key, which has no password.');
}
