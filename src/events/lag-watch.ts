import type { ChangeLog, NumberingLag } from '../domain/change-log.ts';
import { isUnavailable } from '../domain/failure.ts';

/** Creates a watch of how the numbering of changes keeps up, for the metrics. */
export function createLagWatch(log: Pick<ChangeLog, 'lag'>) {
  let last: NumberingLag | undefined;
  return {
    /** Queries the database. */
    async refresh(): Promise<void> {
      try {
        last = await log.lag();
      } catch (error) {
        last = undefined;
        if (!isUnavailable(error)) throw error;
      }
    },
    /** Returns the last result; undefined before the first, or if it failed. */
    last: () => last,
  };
}
