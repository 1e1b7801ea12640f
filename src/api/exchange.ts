import type { Decision } from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import type { RouteMatch } from '../http/route-table.ts';
import type { Target } from '../http/target.ts';
import type { Operation } from './operation.ts';

/** One request on its way through the pipeline, and what its stages have found out so far. */
export interface Exchange {
  readonly request: Request;
  /** The address of whoever opened the connection; asked for only where it matters. */
  readonly peer: () => string;
  readonly requestId: string;
  /** Milliseconds of a clock that never steps, for the log. */
  readonly startedAt: number;
  readonly target: Target;
  match: RouteMatch<Operation> | undefined;
  /** The operation that path and method name, where there is one. */
  operation: Operation | undefined;
  caller: Caller | undefined;
  /** What the limiter said; absent outside `/v1`. */
  decision: Decision | undefined;
  /** The time of day of that, in milliseconds since the Unix epoch. */
  decidedAt: number;
  idempotencyKey: string | undefined;
}
