import type { IdempotencyStorage, StoredResult } from '../../domain/idempotency.ts';
import { type MaybePromise, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { writeJson } from '../../http/json.ts';
import { readQuery } from '../../http/query.ts';
import type { HttpResponse, TextResponse } from '../../http/response.ts';
import type { MadeResponse, ResponseCache } from '../cache/response-cache.ts';
import {
  type HandlerServices,
  type RawInput,
  type Result,
  takesIdempotencyKey,
} from '../contract/operation.ts';
import { createOnce } from './idempotency.ts';
import type { Rechecks } from './rechecks.ts';
import type { AdmittedRequest } from './request-context.ts';
import type { ResponseTemplates } from './response-templates.ts';
import { fingerprint, replay, serialize, toStoredResult, unlessKnown } from './serialize.ts';

/** The dependencies of the stage. */
export interface ExecuteParts {
  readonly services: HandlerServices;
  readonly idempotency: IdempotencyStorage;
  readonly cache: ResponseCache;
  readonly templates: ResponseTemplates;
  readonly bodies: AwaitedBodies;
  /** Keeps the connection of a request open for this long although nothing is sent on it. */
  keepOpen(request: Request, milliseconds: number): void;
}

/** Reads the body of an authorized request and runs its operation. */
export type Execute = (context: AdmittedRequest) => MaybePromise<HttpResponse>;

/** Creates the stages read, execute and storage: handlers call the storage. */
export function createExecute(parts: ExecuteParts, rechecks: Rechecks): Execute {
  const { services, cache, templates, keepOpen } = parts;
  const readBytes = createBodyReader(parts.bodies);
  const runOnce = createRunOnce(parts, toResponse);

  function toResponse({ operation }: AdmittedRequest, result: Result): TextResponse {
    return templates.attach(operation, serialize(result));
  }

  function toMadeResponse(context: AdmittedRequest, result: Result): MadeResponse {
    return { response: toResponse(context, result), dependsOn: result.dependsOn };
  }

  function runGet(context: AdmittedRequest): MaybePromise<MadeResponse> {
    const result = context.operation.run(inputOf(context, undefined, keepOpen), services);
    return thenWith(result, context, toMadeResponse);
  }

  function unlessModified(context: AdmittedRequest, response: TextResponse): HttpResponse {
    return templates.attach(context.operation, unlessKnown(context.request, response));
  }

  function runWrite(
    context: AdmittedRequest,
    key: string | undefined,
    body: Uint8Array | undefined,
  ): MaybePromise<HttpResponse> {
    const input = inputOf(context, body, keepOpen);
    if (key !== undefined) return runOnce(key, context, input);
    const result = thenDo(context.operation.run(input, services), completed);
    return thenWith(result, context, toResponse);
  }

  function refuseLate(
    context: AdmittedRequest,
    response: HttpResponse,
  ): MaybePromise<HttpResponse> {
    return thenDo(rechecks.afterWait(context), (refusal) => refusal ?? response);
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
    if (operation.body === undefined) return runWrite(context, key, undefined);
    checkMediaType(request.headers, operation.body.mediaTypes);
    return readBytes(request, caller.keyId).then((body) =>
      thenDo(rechecks.afterBody(context), (refusal) => refusal ?? runWrite(context, key, body)),
    );
  };
}

type RunOnce = (key: string, context: AdmittedRequest, input: RawInput) => Promise<HttpResponse>;

/** Creates the function that runs an operation once, however often the request is sent. */
function createRunOnce(
  { services, idempotency }: ExecuteParts,
  toResponse: (context: AdmittedRequest, result: Result) => HttpResponse,
): RunOnce {
  const once = createOnce(idempotency);

  /** Returns the response to a request that has already taken effect. */
  function restore(
    stored: StoredResult,
    { operation }: AdmittedRequest,
    input: RawInput,
  ): MaybePromise<HttpResponse> {
    if (operation.restore === undefined) return replay(stored);
    const value = operation.restore(stored.body, input, services);
    return thenDo(value, (restored) => replay({ ...stored, body: writeJson(restored) }));
  }

  return async (key, context, input) => {
    const { operation } = context;
    const request = {
      keyId: input.caller.familyId,
      // The same key for another record is another request.
      operation: [operation.id, ...input.path].join(' '),
      key,
      fingerprint: fingerprint(input.body),
      at: input.stamp.at,
    };
    let fresh: Result | undefined;
    const work = (storage: Records) =>
      thenDo(operation.run(input, { ...services, storage }), (result) => {
        fresh = result;
        return toStoredResult(result);
      });
    const { result, replayed } = await once(request, work);
    if (!replayed && fresh !== undefined) return toResponse(context, await completed(fresh));
    return restore(result, context, input);
  };
}

function completed(result: Result): MaybePromise<Result> {
  return result.complete === undefined ? result : result.complete();
}

/** The input of a request, not yet validated. */
function inputOf(
  { request, target, decidedAt, caller, decision }: AdmittedRequest,
  body: Uint8Array | undefined,
  keepOpen: ExecuteParts['keepOpen'],
): RawInput {
  return {
    caller,
    quota: decision.quota,
    stamp: { at: decidedAt, keyId: caller.keyId },
    ifMatch: request.headers.get('if-match'),
    client: {
      get signal() {
        return request.signal;
      },
      keepOpen: (milliseconds) => keepOpen(request, milliseconds),
    },
    path: target.parameters,
    query: readQuery(target.query),
    body,
  };
}
