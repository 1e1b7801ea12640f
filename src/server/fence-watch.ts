import { isUnavailable } from '../domain/failure.ts';
import type { Fence, Obstacle, Storage } from '../domain/storage.ts';
import type { Log } from '../telemetry/log.ts';

/**
 * Watches whether this server may use the database. Where it may not, the content is stale from then
 * on, keys that were revoked since included, so reads are refused too.
 */
export interface FenceWatch extends Fence {
  /** Queries the database. If it is unavailable, the last result stays. */
  refresh(): Promise<void>;
}

const NOTICES: Readonly<Record<Obstacle, string>> = {
  moved: 'the database is fenced because it was moved: every request now gets 503',
  upgraded:
    'a later release has migrated the database: every request now gets 503; replace this server',
  replaced:
    'the database was replaced or removed while it was open: nothing is written any more, and every request now gets 503; restart this server when the right one is in its place',
};

/** Creates a watch. The database counts as usable before the first refresh. */
export function createFenceWatch(
  storage: Pick<Storage, 'obstacle'>,
  log: Pick<Log, 'warn' | 'info'>,
): FenceWatch {
  let obstacle: Obstacle | undefined;

  return {
    async refresh() {
      let found: Obstacle | undefined;
      try {
        found = await storage.obstacle();
      } catch (error) {
        if (isUnavailable(error)) return;
        throw error;
      }
      if (found === obstacle) return;
      if (found !== undefined) log.warn(NOTICES[found]);
      else log.info('the database can be used again: requests are served again');
      obstacle = found;
    },
    obstacle: () => obstacle,
    isFenced: () => obstacle !== undefined,
  };
}
