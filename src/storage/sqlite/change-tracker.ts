import type { Database } from 'bun:sqlite';
import type { ChangeTracker } from '../../domain/change-log.ts';
import { createChangeRows } from './change-log.ts';

/**
 * Tells when the newest change of the log is another one. SQLite is asked once in a turn of the event loop
 * whether another process has committed (`PRAGMA data_version`); the log is read only then, and after our own changes.
 */
export function createChangeTracker(
  database: Database,
  changed: () => void,
  listen: (listener: () => void) => void,
): ChangeTracker {
  const version = database.query<{ data_version: bigint }, []>('PRAGMA data_version');
  const log = createChangeRows(database);
  let seen: bigint | undefined;
  let last: bigint | undefined;
  let hasOwn = true;
  let isAsked = false;
  listen(() => {
    hasOwn = true;
  });

  function ask(): void {
    const found = version.get()?.data_version;
    if (found === seen && !hasOwn) return;
    const newest = log.newestId();
    if (newest !== last) changed();
    last = newest;
    seen = found;
    hasOwn = false;
  }

  function endTurn(): void {
    isAsked = false;
  }

  return {
    catchUp() {
      if (isAsked && !hasOwn) return true;
      try {
        ask();
        if (!isAsked) setImmediate(endTurn);
        isAsked = true;
        return true;
      } catch {
        // Reading the records throws the error.
        return false;
      }
    },
  };
}
