import { requireRight } from '../../domain/key-lifecycle.ts';
import type { Records } from '../../domain/records.ts';
import type { Storage } from '../../domain/storage.ts';
import type { TextResponse } from '../../http/response.ts';
import type {
  ConnectedClient,
  HandlerServices,
  Operation,
  RawInput,
} from '../contract/operation.ts';
import { completed, createRunOnce } from './idempotency.ts';
import { serialize } from './respond.ts';

/**
 * Executes an operation that writes, once for all requests with the same idempotency key, if there is one. Its file
 * is closed here, or by the import that takes it over. Throws a `Failure`.
 */
export type ExecuteWrite = (
  operation: Operation,
  input: RawInput,
  idempotencyKey: string | undefined,
) => Promise<TextResponse>;

/** Creates the execution of writes. */
export function createWrites(
  services: HandlerServices,
  storage: Pick<Storage, 'idempotency' | 'transact' | 'writesWait'>,
): ExecuteWrite {
  const runOnce = createRunOnce(services, storage.idempotency);

  return async (...write) => {
    const [, { upload }] = write;
    try {
      return await execute(...write);
    } finally {
      if (upload !== undefined) services.imports.discard(upload);
    }
  };

  /**
   * What may have waited, for others or for what is prepared, is run in a transaction that looks up the right of
   * its caller again.
   */
  async function execute(...[operation, input, key]: Parameters<ExecuteWrite>) {
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
  }
}

/** The client of a write. Only reads make their client wait. */
export const NOT_WAITING: ConnectedClient = {
  accept: '',
  get signal(): AbortSignal {
    throw new Error('an operation that writes must not wait for anything but its write');
  },
  keepOpen() {},
  noteWait() {},
};
