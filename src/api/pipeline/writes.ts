import {
  type IdempotencyStorage,
  type IdempotentRequest,
  inProgress,
  type StoredResult,
} from '../../domain/idempotency.ts';
import { requireRight } from '../../domain/key-lifecycle.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage } from '../../domain/storage.ts';
import { writeJson } from '../../http/json.ts';
import { JSON_TYPE, type TextResponse, tagOf } from '../../http/response.ts';
import type { HandlerServices, Operation, Result } from '../contract/operation.ts';
import type { RawInput } from '../contract/request-input.ts';
import { bodyOf, type ExecuteWrite, serialize } from './execute.ts';

/** Creates the execution of writes. One that may have waited looks up the right of its caller again, in its transaction. */
export function createWrites(
  services: HandlerServices,
  storage: Pick<Storage, 'idempotency' | 'transact' | 'writesWait'>,
): ExecuteWrite {
  const runOnce = createRunOnce(services, storage.idempotency);

  return async function execute(operation, input, key) {
    const runInside = async (records: Records) => {
      const now = services.clock.now();
      const caller = await requireRight(input.caller, operation.access, records, now);
      return operation.run({ ...input, caller }, { ...services, storage: records });
    };
    if (key !== undefined) return runOnce(operation, key, input, runInside);
    await operation.prepare?.(input, services);
    const mayHaveWaited = operation.prepare !== undefined || storage.writesWait();
    const result = await (mayHaveWaited
      ? storage.transact(runInside)
      : operation.run(input, services));
    return serialize(await completed(result), operation);
  };
}

/** Runs an operation inside a transaction. */
type RunInside = (records: Records) => Promise<Result>;

/** Runs an operation once, however often the request with this key is sent. */
type RunOnce = (
  operation: Operation,
  key: string,
  input: RawInput,
  runInside: RunInside,
) => Promise<TextResponse>;

/**
 * Creates the function that runs an operation, or replays the result of an earlier request. A result that is
 * stored is found before anything is prepared: a retry needs no animal, no decoder and no other host.
 *
 * A guard throws `idempotency_in_progress` while this instance serves a request with the same key. It is only in
 * memory, so it cannot outlive a crash; between instances the transaction of the storage decides.
 */
function createRunOnce(services: HandlerServices, idempotency: IdempotencyStorage): RunOnce {
  const running = new Set<string>();

  /** Returns the response to a request that has already taken effect. */
  async function restore(
    stored: StoredResult,
    operation: Operation,
    input: RawInput,
  ): Promise<TextResponse> {
    if (operation.restore === undefined) return replay(stored);
    const restored = await operation.restore(stored.body, input, services);
    return replay({ ...stored, body: writeJson(restored) });
  }

  async function once(
    operation: Operation,
    request: IdempotentRequest,
    input: RawInput,
    runInside: RunInside,
  ): Promise<TextResponse> {
    if (operation.prepare !== undefined) {
      const stored = await idempotency.find(request);
      if (stored !== undefined) return restore(stored, operation, input);
      await operation.prepare(input, services);
    }
    let fresh: Result | undefined;
    const { result, replayed } = await idempotency.once(request, async (records) => {
      fresh = await runInside(records);
      return toStoredResult(fresh, operation);
    });
    if (!replayed && fresh !== undefined) return serialize(await completed(fresh), operation);
    return restore(result, operation, input);
  }

  return async (operation, key, input, runInside) => {
    const request = {
      keyId: input.caller.familyId,
      // The same key for another record is another request.
      operation: [operation.id, ...input.path].join(' '),
      key,
      fingerprint: fingerprintOf(input),
      at: input.stamp.at,
    };
    const name = `${request.keyId} ${request.operation} ${key}`;
    if (running.has(name)) throw inProgress();
    running.add(name);
    try {
      return await once(operation, request, input, runInside);
    } finally {
      running.delete(name);
    }
  };
}

/** Adds to a result what is not in the records. */
async function completed(result: Result): Promise<Result> {
  return { ...result, ...(await result.complete?.()) };
}

/**
 * Returns a SHA-256 in hexadecimal. Of an upload only the file and its name count: a client may write another form
 * around it each time. The same file or body with other parameters is another request.
 */
function fingerprintOf({ body = new Uint8Array(0), upload, query }: RawInput): string {
  const sent = new Bun.CryptoHasher('sha256');
  sent.update(upload ? JSON.stringify([upload.digest, upload.name ?? null]) : body);
  // Without a body the key alone says which request it is.
  const parameters = upload || body.length > 0 ? [...query] : [];
  if (parameters.length > 0) sent.update(JSON.stringify(parameters));
  return sent.digest('hex');
}

/** Converts the result of an idempotent request to its stored form. */
function toStoredResult(result: Result, { success }: Operation): StoredResult {
  const value = result.stored ?? result.value;
  const body = bodyOf(value === undefined ? result : { ...result, value });
  const type = body === null ? {} : { 'content-type': JSON_TYPE };
  return {
    status: result.status ?? success.status,
    body: body ?? '',
    headers: { ...type, ...result.headers },
  };
}

/** Returns the response that replays a stored result. */
function replay({ status, body, headers }: StoredResult): TextResponse {
  const etag = headers['etag'] ?? tagOf(body, headers);
  return { status, body, headers: { ...headers, 'idempotent-replayed': 'true', etag } };
}
