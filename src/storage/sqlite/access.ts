import { attempt } from './faults.ts';
import type { Write } from './group-commit.ts';
import type { Read } from './shared-reads.ts';

/** How a part of the storage reads and writes. */
export interface Access {
  readonly read: Read;
  readonly write: Write;
}

/** Reads and writes at once, for code that is already inside a transaction. */
export const INSIDE: Access = { read: attempt, write: (work) => work() };
