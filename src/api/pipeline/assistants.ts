import { type Authentication, authenticate, missingKey } from '../../auth/authenticate.ts';
import type { KeyCache } from '../../auth/credential-cache.ts';
import { type Caller, mayUse } from '../../domain/api-key.ts';
import type { Environment } from '../../domain/deployment.ts';
import { Failure, methodNotAllowed } from '../../domain/failure.ts';
import { insufficientScope } from '../../domain/key-lifecycle.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader, jsonFromBytes } from '../../http/body.ts';
import type { ClientAddresses } from '../../http/client-address.ts';
import { JsonProblem, type JsonValue, plainJson, writeJson } from '../../http/json.ts';
import type { PageOrigins } from '../../http/page-origin.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import { readQuery } from '../../http/target.ts';
import type { ToolShop } from '../../mcp/tool.ts';
import type { HandlerServices, Operation } from '../contract/operation.ts';
import type { Admission } from './admission.ts';
import { senderAt } from './console-session.ts';
import { type ExecuteWrite, NOT_WAITING } from './execute.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';
import { internalError } from './respond.ts';

/** Where assistants call tools, by the Model Context Protocol. */
export const ASSISTANTS_PATH = '/mcp';

const METHODS = ['POST'];
/** No tool takes more than four levels, and the protocol adds few. */
const DEPTH_MAX = 16;
/** The library writes a paragraph about each value that it did not expect. No tool takes forty. */
const VALUES_MAX = 250;

/** The dependencies of the calls. */
export interface AssistantParts {
  readonly environment: Environment;
  readonly keys: KeyCache;
  readonly origins: PageOrigins;
  /** Bodies of programs with a key, and of strangers. */
  readonly bodies: AwaitedBodies;
  readonly strangerBodies: AwaitedBodies;
  readonly services: HandlerServices;
  readonly executeWrite: ExecuteWrite;
  readonly operations: readonly Operation[];
}

/** The stages that the calls share with requests for operations. */
export interface SharedStages {
  readonly applyRateLimit: ApplyRateLimit;
  readonly addresses: ClientAddresses;
  readonly admission: Pick<Admission, 'refuseWithBody'>;
  failed(context: RequestContext, error: unknown): HttpResponse;
}

/**
 * Creates the responses to assistants. They go the way of requests for operations: each is charged once, to its
 * key or to the address without one, and a tool that writes runs the operation with the rights of the key. The
 * library that speaks the protocol is loaded at the first call; it checks neither keys nor origins.
 */
export function createAssistants(
  parts: AssistantParts,
  { applyRateLimit, addresses, admission, failed }: SharedStages,
): (context: RequestContext) => Promise<HttpResponse> {
  const readOfKey = createBodyReader(parts.bodies);
  const readOfStranger = createBodyReader(parts.strangerBodies);
  const shopFor = createToolShops(parts);

  /** Only a key counts: the cookie of the console is for its own pages. Undefined for a stranger. */
  async function identify({ request }: RequestContext): Promise<Authentication | undefined> {
    const header = request.headers.get('authorization');
    if (header === null) return undefined;
    const isPastLimit = () => addresses.isPastLimit(request);
    return authenticate(header, parts.environment, parts.keys, isPastLimit);
  }

  /** Returns who calls, after the charge. */
  async function admit(context: RequestContext): Promise<Caller | undefined> {
    const identity = await identify(context);
    const isKnown = identity !== undefined && !(identity instanceof Failure);
    await applyRateLimit(context, isKnown ? identity : undefined, false);
    return callerIn(identity);
  }

  async function readMessage({ request }: RequestContext, caller: Caller | undefined) {
    checkMediaType(request.headers, [JSON_TYPE]);
    const bytes = await (caller === undefined
      ? readOfStranger(request, senderAt(addresses.addressOf(request)))
      : readOfKey(request, caller.keyId));
    return messageIn(jsonFromBytes(bytes, VALUES_MAX));
  }

  function explain(context: RequestContext, error: unknown): string {
    failed(context, error);
    return (error instanceof Failure ? error : internalError(context.requestId)).message;
  }

  return async (context) => {
    const { method, request } = context;
    if (!METHODS.includes(method)) throw methodNotAllowed(method, METHODS);
    // Before the charge: a page must not use up the limit of the person who looks at it.
    if (request.headers.has('origin') && !parts.origins.isOwnPage(request)) throw foreignPage();
    const charged = await admit(context);
    // Without public pages, nothing is shown to strangers.
    if (charged === undefined && parts.services.pagesRoot === null) throw missingKey();
    const { message, plain } = await readMessage(context, charged);
    // The key may have been revoked while the body arrived.
    const caller = callerIn(charged && (await identify(context)));
    const refusal = admission.refuseWithBody();
    if (refusal !== undefined) return refusal;
    const { answer } = await import('../../mcp/assistants.ts');
    const { status, type, text } = await answer({
      request,
      message,
      plain,
      shop: shopFor(context, caller),
      explain: (error) => explain(context, error),
    });
    return {
      status,
      body: text || null,
      headers: type === null ? {} : { 'content-type': type },
    };
  };
}

/** Creates what makes the shop for a call, with the rights of its caller. */
function createToolShops({
  services: { storage, baseUrl, pagesRoot },
  executeWrite,
  operations,
}: Pick<AssistantParts, 'services' | 'executeWrite' | 'operations'>) {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));

  return ({ decision, decidedAt: at }: RequestContext, caller: Caller | undefined): ToolShop => ({
    storage,
    at,
    baseUrl,
    pagesRoot,
    may: (access) => access === 'public' || (caller !== undefined && mayUse(caller, access)),
    require(access) {
      if (access === 'public') return;
      if (caller === undefined) throw missingKey();
      if (!mayUse(caller, access)) throw insufficientScope(access);
    },
    async run({ operation: name, id, body, ifMatch = null }) {
      const operation = byId.get(name);
      if (operation === undefined || decision === undefined) throw new Error(`cannot run ${name}`);
      if (caller === undefined) throw missingKey();
      if (!mayUse(caller, operation.access)) throw insufficientScope(operation.access);
      const input = {
        ...{ caller, ifMatch, client: NOT_WAITING, upload: undefined },
        quota: decision.quota,
        stamp: { at, keyId: caller.keyId },
        path: id === undefined ? [] : [`${id}`],
        query: readQuery(''),
        body: new TextEncoder().encode(writeJson(body)),
      };
      const response = await executeWrite(operation, input, undefined);
      return id ?? BigInt(JSON.parse(response.body ?? '{}').id);
    },
  });
}

function callerIn(identity: Authentication | undefined): Caller | undefined {
  if (identity instanceof Failure) throw identity;
  return identity;
}

/** Returns a message as it was sent, and as the library reads it. */
function messageIn(message: JsonValue) {
  if (Array.isArray(message)) {
    throw new Failure('invalid_body', 'Send one message at a time: batches are not accepted.');
  }
  try {
    return { message, plain: plainJson(message, DEPTH_MAX) };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new Failure('invalid_json', `The request body ${error.message}.`);
  }
}

function foreignPage(): Failure {
  return new Failure(
    'cross_site_request',
    'Pages of other sites may not call tools here. Programs send no Origin header.',
  );
}
