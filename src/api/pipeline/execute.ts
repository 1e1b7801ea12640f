import { type MaybePromise, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { Upload } from '../../domain/upload.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { readQuery } from '../../http/query.ts';
import type { HttpResponse, TextResponse } from '../../http/response.ts';
import type { Uploads } from '../../http/upload.ts';
import type { MadeResponse, ResponseCache } from '../cache/response-cache.ts';
import {
  type ConnectedClient,
  type HandlerServices,
  type RawInput,
  type Result,
  takesIdempotencyKey,
  type UploadDefinition,
} from '../contract/operation.ts';
import type { Rechecks } from './rechecks.ts';
import type { AdmittedRequest } from './request-context.ts';
import type { ResponseTemplates } from './response-templates.ts';
import { serialize, unlessKnown } from './serialize.ts';
import type { ExecuteWrite, WriteRequest } from './writes.ts';

/** The dependencies of the stage. */
export interface ExecuteParts {
  readonly services: HandlerServices;
  readonly executeWrite: ExecuteWrite;
  readonly cache: ResponseCache;
  readonly templates: ResponseTemplates;
  readonly bodies: AwaitedBodies;
  readonly uploads: Pick<Uploads, 'receive'>;
  /** Keeps the connection of a request open for this long although nothing is sent on it. */
  keepOpen(request: Request, milliseconds: number): void;
}

/** Reads the body of an authorized request and runs its operation. */
export type Execute = (context: AdmittedRequest) => MaybePromise<HttpResponse>;

/** Creates the stages read, execute and storage: handlers call the storage. */
export function createExecute(parts: ExecuteParts, rechecks: Rechecks): Execute {
  const { services, executeWrite, cache, templates, uploads, keepOpen } = parts;
  const readBytes = createBodyReader(parts.bodies);

  function attach<R extends HttpResponse>({ operation }: AdmittedRequest, response: R): R {
    return templates.attach(operation, response);
  }

  function toMadeResponse({ operation }: AdmittedRequest, result: Result): MadeResponse {
    const template = templates.find(operation, result.status);
    return { response: serialize(result, template), dependsOn: result.dependsOn };
  }

  function runGet(context: AdmittedRequest): MaybePromise<MadeResponse> {
    const result = context.operation.run(inputOf(context, keepOpen), services);
    return thenWith(result, context, toMadeResponse);
  }

  function unlessModified(context: AdmittedRequest, response: TextResponse): HttpResponse {
    return attach(context, unlessKnown(context.request, response));
  }

  function runWrite(
    context: AdmittedRequest,
    idempotencyKey: string | undefined,
    body: Uint8Array | undefined,
    upload?: Upload,
  ): MaybePromise<HttpResponse> {
    const request = { ...writeOf(context, idempotencyKey, body), upload };
    return thenWith(executeWrite(context.operation, request), context, attach);
  }

  function refuseLate(
    context: AdmittedRequest,
    response: HttpResponse,
  ): MaybePromise<HttpResponse> {
    return thenDo(rechecks.afterWait(context), (refusal) => refusal ?? response);
  }

  /** Checks all that can be checked before the file arrives. */
  async function runUpload(
    context: AdmittedRequest,
    key: string | undefined,
    { examples, bytesMax }: UploadDefinition,
  ): Promise<HttpResponse> {
    const { operation, request, caller, target } = context;
    checkMediaType(request.headers, Object.keys(examples));
    operation.check({ path: target.parameters, query: readQuery(target.query) });
    const upload = await uploads.receive({
      ...{ request, bytesMax, sender: caller.familyId },
      keepOpen: (milliseconds) => keepOpen(request, milliseconds),
    });
    let refusal: HttpResponse | undefined;
    try {
      refusal = await rechecks.afterBody(context);
    } catch (error) {
      services.imports.discard(upload);
      throw error;
    }
    if (refusal === undefined) return runWrite(context, key, undefined, upload);
    services.imports.discard(upload);
    return refusal;
  }

  return function execute(context) {
    const { operation, request, caller } = context;
    if (operation.method === 'GET') {
      const response = thenWith(cache.answer(context, runGet), context, unlessModified);
      return operation.waits === true ? thenWith(response, context, refuseLate) : response;
    }
    const key = takesIdempotencyKey(operation)
      ? readIdempotencyKey(request.headers.get('idempotency-key'))
      : undefined;
    if (operation.upload !== undefined) return runUpload(context, key, operation.upload);
    if (operation.body === undefined) return runWrite(context, key, undefined);
    checkMediaType(request.headers, operation.body.mediaTypes);
    return readBytes(request, caller.keyId).then((body) =>
      thenDo(operation.precheck?.({ ...inputOf(context, keepOpen), body }, services), () =>
        thenDo(rechecks.afterBody(context), (refusal) => refusal ?? runWrite(context, key, body)),
      ),
    );
  };
}

/** The input of a request for an operation that reads, not yet validated. */
function inputOf(
  { request, target, decidedAt, caller, decision }: AdmittedRequest,
  keepOpen: ExecuteParts['keepOpen'],
): RawInput {
  return {
    caller,
    quota: decision.quota,
    stamp: { at: decidedAt, keyId: caller.keyId },
    ifMatch: null,
    client: new Client(request, keepOpen),
    path: target.parameters,
    query: readQuery(target.query),
    body: undefined,
    upload: undefined,
  };
}

/** The same for an operation that writes, as plain data. */
function writeOf(
  { request, target, decidedAt, caller, decision }: AdmittedRequest,
  idempotencyKey: string | undefined,
  body: Uint8Array | undefined,
): Omit<WriteRequest, 'upload'> {
  return {
    idempotencyKey,
    caller,
    quota: decision.quota,
    stamp: { at: decidedAt, keyId: caller.keyId },
    ifMatch: request.headers.get('if-match'),
    path: target.parameters,
    query: target.query,
    body,
  };
}

/** The client of a request. A class, so that no request allocates functions that it does not call. */
class Client implements ConnectedClient {
  readonly #request: Request;
  readonly #keepOpen: ExecuteParts['keepOpen'];

  constructor(request: Request, keepOpen: ExecuteParts['keepOpen']) {
    this.#request = request;
    this.#keepOpen = keepOpen;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  keepOpen(milliseconds: number): void {
    this.#keepOpen(this.#request, milliseconds);
  }
}
