import type { Database } from 'bun:sqlite';
import type { ChangeObserver, ChangeTracker } from '../../domain/change-log.ts';
import { changeOf } from '../rows/change.ts';
import { createChangeRows } from './change-rows.ts';
import type { WalIndexHeader } from './wal-index.ts';

/** More changes than this at once are not reported one by one. */
const REPORTED_MAX = 1_000;

/**
 * Reports changes from the log. Reading it costs some microseconds, so it is read only if the header
 * of the WAL index has changed, which is a look at memory: 0.02 µs. Every commit, ours too, changes
 * the header before it is acknowledged, so no acknowledged change is missed.
 */
export function createChangeTracker(
  database: Database,
  header: () => WalIndexHeader | undefined,
  observer: ChangeObserver,
): ChangeTracker {
  const rows = createChangeRows(database);
  let last: bigint | undefined;
  /** Whether reading the log failed after a change of the header. */
  let isBehind = true;

  function read(): void {
    if (last === undefined) {
      last = rows.newestId();
      observer.lost();
      return;
    }
    const found = rows.after(last, REPORTED_MAX + 1);
    const [first] = found;
    if (first === undefined) return;
    if (found.length > REPORTED_MAX || first.id !== last + 1n) {
      last = rows.newestId();
      observer.lost();
      return;
    }
    for (const row of found) {
      observer.changed(changeOf(row));
      last = row.id;
    }
  }

  return {
    catchUp() {
      if (header()?.hasChanged() === false && !isBehind) return true;
      isBehind = true;
      try {
        read();
      } catch {
        // Reading the records throws the error.
        return false;
      }
      isBehind = false;
      return true;
    },
  };
}
