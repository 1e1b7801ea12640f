import { attempt } from './faults.ts';
import type { Write } from './group-commit.ts';

/**
 * Runs queries, which see every commit of any process that ended before. Throws `unavailable` when
 * the database is out of service.
 */
export type Read = <T>(query: () => T) => Promise<T>;

/** How a part of the storage reads and writes. */
export interface Access {
  readonly read: Read;
  /** Like `read`, but waits for its turn. */
  readonly search: Read;
  readonly write: Write;
}

const inside: Read = async (query) => attempt(query);

/** Reads and writes at once, for code that is already inside a transaction. */
export const INSIDE: Access = { read: inside, search: inside, write: async (work) => work() };
