import type { ChangeLog, NumberingLag } from '../domain/change-log.ts';
import { isUnavailable } from '../domain/failure.ts';

/** Watches how the numbering of changes keeps up, for the metrics. */
export interface LagWatch {
  /** Queries the database. */
  look(): Promise<void>;
  /** Returns the result of the last look; undefined before the first, or if it failed. */
  last(): NumberingLag | undefined;
}

/** Creates a watch of a change log. */
export function createLagWatch(log: Pick<ChangeLog, 'lag'>): LagWatch {
  let last: NumberingLag | undefined;
  return {
    async look() {
      try {
        last = await log.lag();
      } catch (error) {
        last = undefined;
        if (!isUnavailable(error)) throw error;
      }
    },
    last: () => last,
  };
}
