import type { Database } from 'bun:sqlite';
import type { ChangeObserver, ChangeTracker } from '../../domain/change-log.ts';
import { changeOf } from '../records/change.ts';
import { createChangeRows } from './change-log.ts';
import type { CommittedChange, TransactionFollower } from './change-writer.ts';
import type { SharedReads } from './shared-reads.ts';

/** More changes than this at once are not reported one by one. */
const REPORTED_MAX = 1_000;
/**
 * Reports changes from the log, which is read only if another process has committed. SQLite says so
 * (`PRAGMA data_version`), and is asked after each commit.
 *
 * Our own changes need no reading. They are taken from memory if the tracker had caught up when our
 * transaction started: while a transaction lasts, no other process can commit.
 */
export function createChangeTracker(
  database: Database,
  observer: ChangeObserver,
  { readAtOnce, commits }: Pick<SharedReads, 'readAtOnce' | 'commits'>,
): ChangeTracker & TransactionFollower {
  const version = database.query<{ data_version: bigint }, []>('PRAGMA data_version');
  const log = createChangeRows(database);
  let seenVersion: bigint | undefined;
  /** The number of commits after which SQLite was last asked. */
  let askedAfter = 0;
  /** The id of the last change that was reported or is in `own`. */
  let last: bigint | undefined;
  /** Whether the log has to be read: another process has committed, or reading has failed since. */
  let isBehind = true;
  /** Our own changes that are not reported yet. */
  let own: CommittedChange[] = [];

  function ask(): void {
    const found = version.get()?.data_version;
    if (found !== seenVersion) isBehind = true;
    seenVersion = found;
  }

  function refresh(): void {
    ask();
    if (isBehind) readLog();
    isBehind = false;
  }

  function readLog(): void {
    if (last === undefined) {
      last = log.newestId();
      observer.lost();
      return;
    }
    const rows = log.after(last, REPORTED_MAX + 1);
    const [first] = rows;
    if (first === undefined) return;
    if (rows.length > REPORTED_MAX || first.id !== last + 1n) {
      last = log.newestId();
      observer.lost();
      return;
    }
    for (const row of rows) {
      if (row.subject_id === null) observer.changed(changeOf(row), row.changed);
      last = row.id;
    }
  }

  return {
    began: ask,
    committed(committed) {
      if (isBehind) return;
      if (committed === undefined || own.length + committed.changes.length > REPORTED_MAX) {
        isBehind = true;
      } else if (last !== undefined && committed.lastId > last) {
        own.push(...committed.changes);
        last = committed.lastId;
      }
    },
    catchUp() {
      for (const { change, fields } of own) observer.changed(change, fields);
      own = [];
      const found = commits();
      if (found === askedAfter && !isBehind) return true;
      try {
        readAtOnce(refresh);
        askedAfter = found;
        return true;
      } catch {
        // Reading the records throws the error.
        return false;
      }
    },
  };
}
