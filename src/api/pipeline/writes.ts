import type { QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/api-key.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { requireRight } from '../../domain/key-lifecycle.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage } from '../../domain/storage.ts';
import type { Upload } from '../../domain/upload.ts';
import type { TextResponse } from '../../http/response.ts';
import { readQuery } from '../../http/target.ts';
import type { ConnectedClient, HandlerServices, Operation } from '../contract/operation.ts';
import { completed, createRunOnce } from './idempotency.ts';
import { serialize } from './respond.ts';

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
export type ExecuteWrite = (operation: Operation, request: WriteRequest) => Promise<TextResponse>;

/** Creates the execution of writes on this thread. */
export function createWrites(
  services: HandlerServices,
  storage: Pick<Storage, 'idempotency' | 'transact' | 'writesWait'>,
): ExecuteWrite {
  const runOnce = createRunOnce(services, storage.idempotency);

  return async (operation, request) => {
    const { upload } = request;
    try {
      return await execute(operation, request);
    } finally {
      if (upload !== undefined) services.imports.discard(upload);
    }
  };

  /**
   * What may have waited, for others or for what is prepared, is run in a transaction that looks up the right of
   * its caller again.
   */
  async function execute(operation: Operation, request: WriteRequest): Promise<TextResponse> {
    const { idempotencyKey: key, query, ...facts } = request;
    const input = { ...facts, query: readQuery(query), client: NOT_WAITING };
    const runInside = async (records: Records) => {
      const now = services.clock.now();
      const caller = await requireRight(request.caller, operation.access, records, now);
      return operation.run({ ...input, caller }, { ...services, storage: records });
    };
    if (key !== undefined) return runOnce(operation, key, input, runInside);
    await operation.prepare?.(input, services);
    const mayHaveWaited = operation.prepare !== undefined || storage.writesWait();
    const result = await (mayHaveWaited
      ? storage.transact(runInside)
      : operation.run(input, services));
    return serialize(await completed(result));
  }
}

/** The client of a write. Only reads make their client wait. */
const NOT_WAITING: ConnectedClient = {
  accept: '',
  get signal(): AbortSignal {
    throw new Error('an operation that writes must not wait for anything but its write');
  },
  keepOpen() {},
  noteWait() {},
};
