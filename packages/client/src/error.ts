import type { ServiceErrorCode } from './generated/types.ts';

/**
 * Why a call failed: a code of the service, or of this client where no response arrived.
 * `connection_lost` and `timeout` leave open whether a write was done.
 */
export type ErrorCode = ServiceErrorCode | 'connection_lost' | 'timeout' | 'aborted';

/** What is known about a failed call. */
export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** A call that failed. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError';
  readonly code: ErrorCode;
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined;
  /** The id of the request in the log of the service; undefined if no response arrived. */
  readonly requestId: string | undefined;
  /** Seconds until another try is worthwhile, if the service named them. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { code, status, requestId, retryAfter, cause }: ErrorFacts) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}
