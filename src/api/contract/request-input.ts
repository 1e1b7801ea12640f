import type { QuotaStatus } from '../../domain/allowance.ts';
import type { Caller } from '../../domain/api-key.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Upload } from '../../domain/upload.ts';
import type { Query } from '../../http/target.ts';

/** The facts of a request besides its input. */
export interface RequestFacts {
  readonly caller: Caller;
  readonly quota: QuotaStatus;
  readonly stamp: ChangeStamp;
  readonly ifMatch: string | null;
  readonly client: ConnectedClient;
}

/** The connection of a client, for an operation that makes it wait. */
export interface ConnectedClient {
  /** The Accept header, or ''. */
  readonly accept: string;
  /**
   * Keeps the connection open for this long although nothing is sent on it; returns what is aborted when the client
   * goes away. `hasNothing` says that what it waits for is not there yet: a long wait then costs nothing.
   */
  wait(milliseconds: number, hasNothing: boolean): AbortSignal;
}

/** The validated input. */
export interface Input<Path, Parameters, Body> extends RequestFacts {
  readonly path: Path;
  readonly query: Parameters;
  readonly body: Body;
  /** The body of an operation that takes a file. */
  readonly upload: Upload | undefined;
}

/** The input as it arrived: parts of the path, query and body, none of them validated. */
export interface RawInput extends Input<readonly string[], Query, Uint8Array | undefined> {
  /** What the schemas of the operation made of it, once it was read. Only the operation uses it. */
  parsed?: unknown;
}
