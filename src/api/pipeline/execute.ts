import type { Standing } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/caller.ts';
import type { IdempotencyStorage, KeptResult } from '../../domain/idempotency.ts';
import { after, afterWith, type Later } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';
import type { Answer } from '../../http/response.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { writeJson } from '../../http/json.ts';
import { readQuery } from '../../http/query.ts';
import { prepare } from '../../http/response-template.ts';
import type { Lookups } from '../../telemetry/metrics.ts';
import {
  answerOf,
  fingerprintOf,
  keptResult,
  repeated,
  type TextAnswer,
  tagged,
  unlessKnown,
} from './serialize.ts';
import { deprecationHeaders } from '../contract/deprecation.ts';
import type { Exchange } from './request-context.ts';
import { createOnce } from './idempotency.ts';
import type { Operation, RawInput, Result, Services } from '../contract/operation.ts';
import { createReadyAnswers } from '../cache/response-cache.ts';

/** What the stage is made of. */
export interface PerformParts {
  readonly services: Services;
  readonly idempotency: IdempotencyStorage;
  /** Where it is counted how often an answer was ready. */
  readonly readyAnswers: Lookups;
  readonly bodies: AwaitedBodies;
}

/**
 * Asks once more, when a body has arrived, what may have changed meanwhile. Gives what to answer in
 * place of going on, or throws.
 */
export type Readmit = (exchange: Exchange) => Later<Answer | undefined>;

/** Reads the body of an admitted request and runs its operation. */
export type Perform = (
  exchange: Exchange,
  operation: Operation,
  caller: Caller,
  standing: Standing,
) => Later<Answer>;

/** Makes the stage that runs operations. */
export function createPerform(parts: PerformParts, readmit: Readmit): Perform {
  const { services } = parts;
  const readBytes = createBodyReader(parts.bodies);
  const once = createOnce(parts.idempotency);
  const ready = createReadyAnswers();
  const deprecated = deprecationHeaders(services.baseUrl);

  /** An answer as it is kept, with all that is the same whenever it is sent. */
  function keepable(answer: TextAnswer, { deprecation }: Operation): TextAnswer {
    if (deprecation === undefined) return prepare(answer);
    return prepare({ ...answer, headers: { ...answer.headers, ...deprecated(deprecation) } });
  }

  /** Runs a handler that only reads, unless its answer was kept ready and nothing has changed. */
  function read(
    exchange: Exchange,
    operation: Operation,
    caller: Caller,
    standing: Standing,
    version: number | undefined,
  ): Later<TextAnswer> {
    const { place } = exchange;
    const kept = version === undefined ? undefined : ready.find(place, version);
    if (kept !== undefined) {
      parts.readyAnswers.hits++;
      return kept;
    }
    const result = operation.run(inputOf(exchange, caller, standing, undefined), services);
    if (version === undefined) return after(result, (value) => tagged(answerOf(value)));
    parts.readyAnswers.misses++;
    const answer = after(result, (value) => keepable(tagged(answerOf(value)), operation));
    ready.keep(place, version, answer);
    return answer;
  }

  /** Runs a handler whose effect must come once, however often its request is sent. */
  function runOnce(key: string, operation: Operation, input: RawInput): Later<Answer> {
    const request = {
      keyId: input.caller.familyId,
      operation: operation.id,
      key,
      fingerprint: fingerprintOf(input.body),
      at: input.edit.at,
    };
    let done: Result | undefined;
    const work = (storage: Records) =>
      after(operation.run(input, { ...services, storage }), (result) => {
        done = result;
        return keptResult(result);
      });
    return once(request, work).then(({ result, replayed }) =>
      replayed || done === undefined ? repeat(result, operation, input) : tagged(answerOf(done)),
    );
  }

  /** What answers a request whose effect has come already. */
  function repeat(kept: KeptResult, operation: Operation, input: RawInput): Later<Answer> {
    if (operation.restore === undefined) return repeated(kept);
    const value = operation.restore(kept.body, input, services);
    return after(value, (whole) => repeated({ ...kept, body: writeJson(whole) }));
  }

  function change(operation: Operation, input: RawInput, key: string | undefined): Later<Answer> {
    if (key !== undefined) return runOnce(key, operation, input);
    // Answers to writes say the same kinds of things, so they share lists of fields as well.
    return after(operation.run(input, services), (result) => prepare(tagged(answerOf(result))));
  }

  return function perform(exchange, operation, caller, standing) {
    const { request, version } = exchange;
    if (operation.method === 'GET') {
      const answer = after(version, (come) => read(exchange, operation, caller, standing, come));
      return afterWith(answer, request, unlessKnown);
    }
    const isPost = operation.method === 'POST';
    const key = isPost ? readIdempotencyKey(request.headers.get('idempotency-key')) : undefined;
    const inputWith = (body: Uint8Array | undefined) => inputOf(exchange, caller, standing, body);
    if (operation.body === undefined) return change(operation, inputWith(undefined), key);
    checkMediaType(request.headers, operation.body.mediaTypes);
    return readBytes(request, caller.keyId).then((body) =>
      after(readmit(exchange), (refusal) => refusal ?? change(operation, inputWith(body), key)),
    );
  };
}

/** What came with a request, not yet checked. */
function inputOf(
  { request, place, decidedAt }: Exchange,
  caller: Caller,
  standing: Standing,
  body: Uint8Array | undefined,
): RawInput {
  return {
    caller,
    standing,
    edit: { at: decidedAt, keyId: caller.keyId },
    ifMatch: request.headers.get('if-match'),
    path: place.parameters,
    query: readQuery(place.query),
    body,
  };
}
