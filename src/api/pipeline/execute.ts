import type { IdempotencyStorage, StoredResult } from '../../domain/idempotency.ts';
import { type MaybePromise, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { writeJson } from '../../http/json.ts';
import { readQuery } from '../../http/query.ts';
import type { HttpResponse, TextResponse } from '../../http/response.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import {
  type HandlerServices,
  type RawInput,
  type Result,
  takesIdempotencyKey,
} from '../contract/operation.ts';
import { createOnce } from './idempotency.ts';
import type { AdmittedRequest } from './request-context.ts';
import type { ResponseTemplates } from './response-templates.ts';
import { fingerprint, replay, serialize, toStoredResult, unlessKnown } from './serialize.ts';

/** What the stage needs. */
export interface ExecuteParts {
  readonly services: HandlerServices;
  readonly idempotency: IdempotencyStorage;
  readonly cache: ResponseCache;
  readonly templates: ResponseTemplates;
  readonly bodies: AwaitedBodies;
}

/**
 * Checks again, once a body has arrived, what may have changed since the request was admitted.
 * Returns a refusal, or undefined to go on. Throws `invalid_api_key`.
 */
export type Recheck = (context: AdmittedRequest) => MaybePromise<HttpResponse | undefined>;

/** Reads the body of an admitted request and runs its operation. */
export type Execute = (context: AdmittedRequest) => MaybePromise<HttpResponse>;

/** Creates the stage that runs operations. */
export function createExecute(parts: ExecuteParts, recheck: Recheck): Execute {
  const { services, cache, templates } = parts;
  const readBytes = createBodyReader(parts.bodies);
  const once = createOnce(parts.idempotency);

  function respond({ operation }: AdmittedRequest, result: Result): TextResponse {
    return templates.attach(operation, serialize(result));
  }

  function read(context: AdmittedRequest): MaybePromise<TextResponse> {
    const result = context.operation.run(inputOf(context, undefined), services);
    return thenWith(result, context, respond);
  }

  function conditional(context: AdmittedRequest, response: TextResponse): HttpResponse {
    return templates.attach(context.operation, unlessKnown(context.request, response));
  }

  function write(
    context: AdmittedRequest,
    key: string | undefined,
    body: Uint8Array | undefined,
  ): MaybePromise<HttpResponse> {
    const input = inputOf(context, body);
    if (key !== undefined) return writeOnce(key, context, input);
    return thenWith(context.operation.run(input, services), context, respond);
  }

  /** Runs an operation whose effect must happen once, however often the request is sent. */
  async function writeOnce(
    key: string,
    context: AdmittedRequest,
    input: RawInput,
  ): Promise<HttpResponse> {
    const { operation } = context;
    const request = {
      keyId: input.caller.familyId,
      operation: operation.id,
      key,
      fingerprint: fingerprint(input.body),
      at: input.stamp.at,
    };
    let done: Result | undefined;
    const work = (storage: Records) =>
      thenDo(operation.run(input, { ...services, storage }), (result) => {
        done = result;
        return toStoredResult(result);
      });
    const { result, replayed } = await once(request, work);
    if (!replayed && done !== undefined) return respond(context, done);
    return restore(result, context, input);
  }

  /** The response to a request whose effect has already happened. */
  function restore(
    stored: StoredResult,
    { operation }: AdmittedRequest,
    input: RawInput,
  ): MaybePromise<HttpResponse> {
    if (operation.restore === undefined) return replay(stored);
    const value = operation.restore(stored.body, input, services);
    return thenDo(value, (whole) => replay({ ...stored, body: writeJson(whole) }));
  }

  return function execute(context) {
    const { operation, request, caller } = context;
    if (operation.method === 'GET') {
      return thenWith(cache.answer(context, read), context, conditional);
    }
    const key = takesIdempotencyKey(operation)
      ? readIdempotencyKey(request.headers.get('idempotency-key'))
      : undefined;
    if (operation.body === undefined) return write(context, key, undefined);
    checkMediaType(request.headers, operation.body.mediaTypes);
    return readBytes(request, caller.keyId).then((body) =>
      thenDo(recheck(context), (refusal) => refusal ?? write(context, key, body)),
    );
  };
}

/** What came with a request, not yet checked. */
function inputOf(
  { request, target, decidedAt, caller, decision }: AdmittedRequest,
  body: Uint8Array | undefined,
): RawInput {
  return {
    caller,
    quota: decision.quota,
    stamp: { at: decidedAt, keyId: caller.keyId },
    ifMatch: request.headers.get('if-match'),
    path: target.parameters,
    query: readQuery(target.query),
    body,
  };
}
