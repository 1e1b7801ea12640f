import { Failure, type FailureCode, type FailureDetails } from '../../domain/failure.ts';

/** An error as plain data. The runtime's own copy of an error loses its class and its code. */
export type PortableError = PortableFailure | PortableFault;

interface PortableFailure {
  readonly failure: FailureCode;
  readonly message: string;
  readonly details: Omit<FailureDetails, 'cause'>;
  readonly cause: PortableError | undefined;
}

interface PortableFault {
  readonly failure: undefined;
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
  readonly cause: PortableError | undefined;
}

/** Bounds the chain of causes, which may be circular. */
const CAUSES_MAX = 5;

/** Turns an error into data for another thread. */
export function toPortable(error: unknown, depth = 0): PortableError {
  const causeOf = (cause: unknown) =>
    cause === undefined || depth === CAUSES_MAX ? undefined : toPortable(cause, depth + 1);
  if (error instanceof Failure) {
    const { cause, ...details } = error.details;
    return { failure: error.code, message: error.message, details, cause: causeOf(cause) };
  }
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : undefined;
  return { failure: undefined, name, message, code, stack, cause: causeOf(cause) };
}

/** Returns an error of the same class, with the same text and cause. */
export function fromPortable(portable: PortableError): Error {
  const cause = portable.cause && fromPortable(portable.cause);
  if (portable.failure !== undefined) {
    const details = { ...portable.details, ...(cause && { cause }) };
    return new Failure(portable.failure, portable.message, details);
  }
  const { name, message, code, stack } = portable;
  const error = new Error(message, { cause });
  return Object.assign(error, { name, stack }, code !== undefined && { code });
}
