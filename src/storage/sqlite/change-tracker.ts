import type { Database } from 'bun:sqlite';
import type { ChangeTracker } from '../../domain/change-log.ts';
import { createChangeRows } from './change-log.ts';
import type { WalIndex } from './wal-index.ts';

/**
 * Tells when the newest change of the log is another one. Each time it is asked, since another process may have
 * acknowledged a commit a moment ago: the header of the WAL index says whether there was one, in a tenth of the time of
 * a query, and the log is read only then. Without that header, `PRAGMA data_version` and our own changes say it.
 */
export function createChangeTracker(
  database: Database,
  changed: () => void,
  listen: (listener: () => void) => void,
  walIndex: WalIndex | undefined,
): ChangeTracker {
  const version = database.query<{ data_version: bigint }, []>('PRAGMA data_version');
  const log = createChangeRows(database);
  const hasCommits = walIndex?.watchCommits() ?? (() => version.get()?.data_version !== seen);
  let seen: bigint | undefined;
  let last: bigint | undefined;
  /** Whether there was a commit since the log was read. It stays so if the log cannot be read. */
  let isBehind = true;
  listen(() => {
    isBehind = true;
  });

  return {
    catchUp() {
      try {
        isBehind = hasCommits() || isBehind;
        if (!isBehind) return true;
        seen = version.get()?.data_version;
        const newest = log.newestId();
        if (newest !== last) changed();
        last = newest;
        isBehind = false;
        return true;
      } catch {
        // Reading the records throws the error.
        return false;
      }
    },
  };
}
