import type { QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/caller.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { IdempotencyStorage, StoredResult } from '../../domain/idempotency.ts';
import { type MaybePromise, thenDo } from '../../domain/maybe-promise.ts';
import type { Records } from '../../domain/records.ts';
import type { Upload } from '../../domain/upload.ts';
import { writeJson } from '../../http/json.ts';
import { readQuery } from '../../http/query.ts';
import type { TextResponse } from '../../http/response.ts';
import type {
  ConnectedClient,
  HandlerServices,
  Operation,
  RawInput,
  Result,
} from '../contract/operation.ts';
import { createOnce } from './idempotency.ts';
import { fingerprint, replay, serialize, toStoredResult } from './serialize.ts';

/**
 * An admitted request for an operation that writes, with its body. Plain data, so that another
 * thread can execute it.
 */
export interface WriteRequest {
  /** The Idempotency-Key, if the operation takes one and the client sent it. */
  readonly idempotencyKey: string | undefined;
  readonly caller: Caller;
  readonly quota: QuotaStatus;
  readonly stamp: ChangeStamp;
  /** The If-Match header. */
  readonly ifMatch: string | null;
  /** The parameters of the path, not validated. */
  readonly path: readonly string[];
  /** The query as it was sent. */
  readonly query: string;
  readonly body: Uint8Array | undefined;
  /** Its file is closed here, or by the import that takes it over. */
  readonly upload: Upload | undefined;
}

/** Executes an operation that writes. Throws a `Failure`. */
export type ExecuteWrite = (
  operation: Operation,
  request: WriteRequest,
) => MaybePromise<TextResponse>;

/** Creates the execution of writes on this thread. */
export function createWrites(
  services: HandlerServices,
  idempotency: IdempotencyStorage,
): ExecuteWrite {
  const runOnce = createRunOnce(services, idempotency);

  return (operation, request) => {
    const { upload } = request;
    if (upload === undefined) return execute(operation, request);
    return executeWith(upload, operation, request);
  };

  async function executeWith(
    upload: Upload,
    operation: Operation,
    request: WriteRequest,
  ): Promise<TextResponse> {
    try {
      return await execute(operation, request);
    } finally {
      services.imports.discard(upload);
    }
  }

  function execute(operation: Operation, request: WriteRequest): MaybePromise<TextResponse> {
    const { idempotencyKey: key, query, ...facts } = request;
    const input = { ...facts, query: readQuery(query), client: NOT_WAITING };
    const write = () =>
      key === undefined
        ? thenDo(thenDo(operation.run(input, services), completed), serialize)
        : runOnce(operation, key, input);
    return operation.prepare === undefined
      ? write()
      : operation.prepare(input, services).then(write);
  }
}

/** The client of a write. Only reads make their client wait. */
const NOT_WAITING: ConnectedClient = {
  get signal(): AbortSignal {
    throw new Error('an operation that writes must not wait for anything but its write');
  },
  keepOpen() {},
};

type RunOnce = (operation: Operation, key: string, input: RawInput) => Promise<TextResponse>;

/** Creates the function that runs an operation once, however often the request is sent. */
function createRunOnce(services: HandlerServices, idempotency: IdempotencyStorage): RunOnce {
  const once = createOnce(idempotency);

  /** Returns the response to a request that has already taken effect. */
  function restore(
    stored: StoredResult,
    operation: Operation,
    input: RawInput,
  ): MaybePromise<TextResponse> {
    if (operation.restore === undefined) return replay(stored);
    const value = operation.restore(stored.body, input, services);
    return thenDo(value, (restored) => replay({ ...stored, body: writeJson(restored) }));
  }

  return async (operation, key, input) => {
    const request = {
      keyId: input.caller.familyId,
      // The same key for another record is another request.
      operation: [operation.id, ...input.path].join(' '),
      key,
      fingerprint: input.upload ? uploadFingerprint(input, input.upload) : fingerprint(input.body),
      at: input.stamp.at,
    };
    let fresh: Result | undefined;
    const work = (storage: Records) =>
      thenDo(operation.run(input, { ...services, storage }), (result) => {
        fresh = result;
        return toStoredResult(result);
      });
    const { result, replayed } = await once(request, work);
    if (!replayed && fresh !== undefined) return serialize(await completed(fresh));
    return restore(result, operation, input);
  };
}

/** The same file with another mapping is another request. */
function uploadFingerprint({ query }: RawInput, { digest, mediaType }: Upload): string {
  return Bun.SHA256.hash(JSON.stringify([digest, mediaType, ...query]), 'hex');
}

/** Adds to a result what is not in the records. */
function completed(result: Result): MaybePromise<Result> {
  return result.complete === undefined ? result : result.complete();
}
