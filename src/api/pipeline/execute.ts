import type { QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/caller.ts';
import type { IdempotencyStorage, StoredResult } from '../../domain/idempotency.ts';
import { type MaybePromise, thenDo, thenWith } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { writeJson } from '../../http/json.ts';
import { readQuery } from '../../http/query.ts';
import type { HttpResponse } from '../../http/response.ts';
import { prepare } from '../../http/response-template.ts';
import type { Lookups } from '../../telemetry/metrics.ts';
import { createReadyAnswers } from '../cache/response-cache.ts';
import { deprecationHeaders } from '../contract/deprecation.ts';
import type { HandlerServices, Operation, RawInput, Result } from '../contract/operation.ts';
import { createOnce } from './idempotency.ts';
import type { RequestContext } from './request-context.ts';
import {
  fingerprint,
  notModified,
  replay,
  serialize,
  type TextResponse,
  toStoredResult,
  withEntityTag,
} from './serialize.ts';

/** What the stage is made of. */
export interface ExecuteParts {
  readonly services: HandlerServices;
  readonly idempotency: IdempotencyStorage;
  /** Where it is counted how often an answer was ready. */
  readonly readyAnswers: Lookups;
  readonly bodies: AwaitedBodies;
}

/**
 * Asks once more, when a body has arrived, what may have changed meanwhile. Gives what to answer in
 * place of going on, or throws.
 */
export type Readmit = (context: RequestContext) => MaybePromise<HttpResponse | undefined>;

/** Reads the body of an admitted request and runs its operation. */
export type Execute = (
  context: RequestContext,
  operation: Operation,
  caller: Caller,
  quota: QuotaStatus,
) => MaybePromise<HttpResponse>;

/** Makes the stage that runs operations. */
export function createExecute(parts: ExecuteParts, readmit: Readmit): Execute {
  const { services } = parts;
  const readBytes = createBodyReader(parts.bodies);
  const once = createOnce(parts.idempotency);
  const ready = createReadyAnswers();
  const deprecated = deprecationHeaders(services.baseUrl);

  /** An answer as it is kept, with all that is the same whenever it is sent. */
  function keepable(response: TextResponse, { deprecation }: Operation): TextResponse {
    if (deprecation === undefined) return prepare(response);
    return prepare({ ...response, headers: { ...response.headers, ...deprecated(deprecation) } });
  }

  /** Runs a handler that only reads, unless its answer was kept ready and nothing has changed. */
  function read(
    context: RequestContext,
    operation: Operation,
    caller: Caller,
    quota: QuotaStatus,
    version: number | undefined,
  ): MaybePromise<TextResponse> {
    const { target } = context;
    const stored = version === undefined ? undefined : ready.find(target, version);
    if (stored !== undefined) {
      parts.readyAnswers.hits++;
      return stored;
    }
    const result = operation.run(inputOf(context, caller, quota, undefined), services);
    if (version === undefined) return thenDo(result, (value) => withEntityTag(serialize(value)));
    parts.readyAnswers.misses++;
    const response = thenDo(result, (value) =>
      keepable(withEntityTag(serialize(value)), operation),
    );
    ready.keep(target, version, response);
    return response;
  }

  /** Runs a handler whose effect must come once, however often its request is sent. */
  function runOnce(key: string, operation: Operation, input: RawInput): MaybePromise<HttpResponse> {
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
    return once(request, work).then(({ result, replayed }) =>
      replayed || done === undefined
        ? repeat(result, operation, input)
        : withEntityTag(serialize(done)),
    );
  }

  /** What answers a request whose effect has come already. */
  function repeat(
    stored: StoredResult,
    operation: Operation,
    input: RawInput,
  ): MaybePromise<HttpResponse> {
    if (operation.restore === undefined) return replay(stored);
    const value = operation.restore(stored.body, input, services);
    return thenDo(value, (whole) => replay({ ...stored, body: writeJson(whole) }));
  }

  function change(
    operation: Operation,
    input: RawInput,
    key: string | undefined,
  ): MaybePromise<HttpResponse> {
    if (key !== undefined) return runOnce(key, operation, input);
    // Answers to writes say the same kinds of things, so they share lists of fields as well.
    return thenDo(operation.run(input, services), (result) =>
      prepare(withEntityTag(serialize(result))),
    );
  }

  return function perform(context, operation, caller, quota) {
    const { request, version } = context;
    if (operation.method === 'GET') {
      const response = thenDo(version, (come) => read(context, operation, caller, quota, come));
      return thenWith(response, request, notModified);
    }
    const isPost = operation.method === 'POST';
    const key = isPost ? readIdempotencyKey(request.headers.get('idempotency-key')) : undefined;
    const inputWith = (body: Uint8Array | undefined) => inputOf(context, caller, quota, body);
    if (operation.body === undefined) return change(operation, inputWith(undefined), key);
    checkMediaType(request.headers, operation.body.mediaTypes);
    return readBytes(request, caller.keyId).then((body) =>
      thenDo(readmit(context), (refusal) => refusal ?? change(operation, inputWith(body), key)),
    );
  };
}

/** What came with a request, not yet checked. */
function inputOf(
  { request, target, decidedAt }: RequestContext,
  caller: Caller,
  quota: QuotaStatus,
  body: Uint8Array | undefined,
): RawInput {
  return {
    caller,
    quota,
    stamp: { at: decidedAt, keyId: caller.keyId },
    ifMatch: request.headers.get('if-match'),
    path: target.parameters,
    query: readQuery(target.query),
    body,
  };
}
