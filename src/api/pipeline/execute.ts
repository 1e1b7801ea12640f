import { MINUTE_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader, mayHaveBody } from '../../http/body.ts';
import { writeJson } from '../../http/json.ts';
import {
  type HttpResponse,
  type TextResponse,
  taggedJson,
  unlessKnown,
} from '../../http/response.ts';
import { readQuery } from '../../http/target.ts';
import { checkUploadType, type Uploads } from '../../http/upload.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import {
  type BodyDefinition,
  type HandlerServices,
  type Operation,
  type Result,
  takesIdempotencyKey,
  type UploadDefinition,
} from '../contract/operation.ts';
import type { ConnectedClient, RawInput } from '../contract/request-input.ts';
import type { Admission } from './admission.ts';
import type { AdmittedRequest } from './request-context.ts';

/**
 * Executes an operation that writes, once for all requests with the same idempotency key, if there is one. Throws a
 * `Failure`.
 */
export type ExecuteWrite = (
  operation: Operation,
  input: RawInput,
  idempotencyKey: string | undefined,
) => Promise<TextResponse>;

/** The dependencies of the stage. */
export interface ExecuteParts {
  readonly services: HandlerServices;
  readonly executeWrite: ExecuteWrite;
  readonly cache: ResponseCache;
  readonly bodies: AwaitedBodies;
  readonly uploads: Readonly<Record<UploadDefinition['kind'], Pick<Uploads, 'receive'>>>;
  /** Keeps the connection of a request open for this long although nothing is sent on it. */
  keepOpen(request: Request, milliseconds: number): void;
}

/** Reads the body of an authorized request and runs its operation. */
type Execute = (context: AdmittedRequest) => Promise<HttpResponse>;

/** Creates the stages read, execute and storage: handlers call the storage. */
export function createExecute(
  parts: ExecuteParts,
  rechecks: Pick<Admission, 'afterBody' | 'afterWait'>,
): Execute {
  const { services, executeWrite, cache, uploads, keepOpen } = parts;
  const readBytes = createBodyReader(parts.bodies);

  async function runGet(context: AdmittedRequest): Promise<TextResponse> {
    const client = new Client(context, keepOpen);
    const result = await context.operation.run(inputOf(context, client), services);
    return serialize(result, context.operation);
  }

  /**
   * Checks all that can be checked before the file arrives. It is closed here, or by the import that takes it over.
   */
  async function runUpload(
    context: AdmittedRequest,
    key: string | undefined,
    { kind, examples, bytesMax, refused }: UploadDefinition,
  ): Promise<HttpResponse> {
    const { operation, request, caller } = context;
    refused?.(request.headers.get('content-type') ?? '');
    checkUploadType(request.headers, Object.keys(examples));
    const input = inputOf(context, NOT_WAITING);
    operation.check(input);
    const upload = await uploads[kind].receive({
      request,
      bytesMax,
      sender: caller.familyId,
      keepOpen: (milliseconds) => keepOpen(request, milliseconds),
    });
    try {
      const refusal = await rechecks.afterBody(context);
      if (refusal !== undefined) return refusal;
      if (operation.prepare !== undefined) keepOpen(request, PREPARE_MS);
      return await executeWrite(operation, { ...input, caller: context.caller, upload }, key);
    } finally {
      services.imports.discard(upload);
    }
  }

  return async function execute(context) {
    const { operation, request, caller } = context;
    if (operation.method === 'GET') {
      const response = unlessKnown(request, await cache.answer(context, runGet));
      const refusal = operation.waits === true ? await rechecks.afterWait(context) : undefined;
      return refusal ?? response;
    }
    const key = takesIdempotencyKey(operation)
      ? readIdempotencyKey(request.headers.get('idempotency-key'))
      : undefined;
    if (operation.upload !== undefined) return runUpload(context, key, operation.upload);
    let body: Uint8Array | undefined;
    if (operation.body !== undefined) {
      checkBodyType(request.headers, operation.body);
      const sent = await readBytes(request, caller.keyId);
      body = sent.length === 0 && operation.body.optional ? NO_MEMBERS : sent;
      const refusal = await rechecks.afterBody(context);
      if (refusal !== undefined) return refusal;
    }
    return executeWrite(operation, inputOf(context, NOT_WAITING, body), key);
  };
}

/** A file may wait for its turn to be decoded, and the client gets no byte meanwhile. */
const PREPARE_MS = 4 * MINUTE_MS;

/** What a request without an optional body is taken for. */
const NO_MEMBERS = new TextEncoder().encode('{}');

function checkBodyType(headers: Headers, { mediaTypes, optional }: BodyDefinition): void {
  if (optional !== true || mayHaveBody(headers)) checkMediaType(headers, mediaTypes);
}

/** The input of a request, not yet validated. */
function inputOf(
  { request, target, decidedAt, caller, decision }: AdmittedRequest,
  client: ConnectedClient,
  body?: Uint8Array,
): RawInput {
  return {
    ...{ caller, client, body, upload: undefined },
    quota: decision.quota,
    stamp: { at: decidedAt, keyId: caller.keyId },
    ifMatch: request.headers.get('if-match'),
    path: target.parameters,
    query: readQuery(target.query),
  };
}

/** The client of a request. A class, so that no request allocates functions that it does not call. */
class Client implements ConnectedClient {
  readonly #context: AdmittedRequest;
  readonly #keepOpen: ExecuteParts['keepOpen'];

  constructor(context: AdmittedRequest, keepOpen: ExecuteParts['keepOpen']) {
    this.#context = context;
    this.#keepOpen = keepOpen;
  }

  get accept(): string {
    return this.#context.request.headers.get('accept') ?? '';
  }

  wait(milliseconds: number, hasNothing: boolean): AbortSignal {
    this.#keepOpen(this.#context.request, milliseconds);
    this.#context.hasWaited = hasNothing;
    return this.#context.request.signal;
  }
}

/** The client of a write. Only reads make their client wait. */
export const NOT_WAITING: ConnectedClient = {
  accept: '',
  wait() {
    throw new Error('an operation that writes must not wait for anything but its write');
  },
};

/** Writes the result of a handler as JSON, with an entity tag unless it has its own. */
export function serialize(result: Result, { success }: Pick<Operation, 'success'>): TextResponse {
  const { status = success.status, headers = {} } = result;
  const body = bodyOf(result);
  return body === null ? { status, body, headers } : taggedJson(status, body, headers);
}

/** Returns the body of a result, or null if it has none. */
export function bodyOf({ json, value }: Result): string | null {
  return json ?? (value === undefined ? null : writeJson(value));
}

/** The Structured Fields string of draft-ietf-httpapi-idempotency-key-header (RFC 9651, 3.3.3). */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** The key without quotes, as most clients send it. */
const BARE = /^[\x21\x23-\x7e]+$/;
const LENGTH_MAX = 255;

/**
 * Reads the Idempotency-Key header; undefined if absent. Quoted and bare forms are the same key.
 * Throws `invalid_idempotency_key` for anything but 1 to 255 ASCII characters.
 */
export function readIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (key.length >= 1 && key.length <= LENGTH_MAX) return key;
  throw new Failure(
    'invalid_idempotency_key',
    `Idempotency-Key must be given once, with 1 to ${LENGTH_MAX} characters of ASCII, such as a UUID.`,
  );
}
