import { isUnavailable } from '../../domain/failure.ts';
import type { Storage } from '../../domain/storage.ts';
import type { Log } from '../../telemetry/log.ts';

/**
 * Watches whether the database is fenced because its data has moved to another one. Its content is
 * stale from then on, keys that were revoked since included, so reads are refused too.
 */
export interface FenceWatch {
  /** Queries the database. If it is unavailable, the last result stays. */
  look(): Promise<void>;
  isFenced(): boolean;
}

/** Creates a watch. The database counts as not fenced before the first look. */
export function createFenceWatch(
  storage: Pick<Storage, 'isFenced'>,
  log: Pick<Log, 'warn' | 'info'>,
): FenceWatch {
  let fenced = false;

  return {
    async look() {
      let found: boolean;
      try {
        found = await storage.isFenced();
      } catch (error) {
        if (isUnavailable(error)) return;
        throw error;
      }
      if (found === fenced) return;
      fenced = found;
      if (fenced) {
        log.warn('the database is fenced because it was moved: every request now gets 503');
      } else log.info('the fence of the database was lifted: requests are served again');
    },
    isFenced: () => fenced,
  };
}
