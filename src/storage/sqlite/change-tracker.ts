import type { Database } from 'bun:sqlite';
import type { Change, ChangeObserver, ChangeTracker } from '../../domain/change-log.ts';
import { CHANGE_COLUMNS, type ChangeRow, changeOf } from '../rows/change.ts';
import type { TransactionFollower } from './change-writer.ts';
import type { Read } from './shared-reads.ts';
import type { WalIndexHeader } from './wal-index.ts';

/** More changes than this at once are not reported one by one. */
const REPORTED_MAX = 1_000;

/**
 * Reports changes from the log. Reading it costs 20 µs, so it is read only if the header of the WAL
 * index has changed, which is a look at memory: 0.02 µs. Every commit changes the header before it is
 * acknowledged, so no acknowledged change is missed.
 *
 * Our own changes need no reading. They are taken from memory if the tracker had caught up when our
 * transaction started, and the header counts no other commit since: while a transaction lasts, no
 * other process can commit.
 */
export function createChangeTracker(
  database: Database,
  header: () => WalIndexHeader | undefined,
  observer: ChangeObserver,
  read: Read,
): ChangeTracker & TransactionFollower {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM changes');
  const after = database.query<ChangeRow, [bigint, number]>(
    `SELECT id, ${CHANGE_COLUMNS.join(', ')} FROM changes WHERE id > ? ORDER BY id LIMIT ?`,
  );
  let last: bigint | undefined;
  /** Whether the log has to be read: the header changed, or reading failed after it had. */
  let isBehind = true;
  /** Our own changes after `last`, not reported yet, and the id of the last of them. */
  let own: Change[] = [];
  let lastOwn: bigint | undefined;
  /** The number of commits before our transaction, if the tracker had caught up when it started. */
  let commitsBefore: number | undefined;

  function readLog(): void {
    if (last === undefined) {
      last = newest.get()?.id ?? 0n;
      observer.lost();
      return;
    }
    const rows = after.all(last, REPORTED_MAX + 1);
    const [first] = rows;
    if (first === undefined) return;
    if (rows.length > REPORTED_MAX || first.id !== last + 1n) {
      last = newest.get()?.id ?? 0n;
      observer.lost();
      return;
    }
    for (const row of rows) {
      observer.changed(changeOf(row));
      last = row.id;
    }
  }

  function reportOwn(): void {
    for (const change of own) observer.changed(change);
    own = [];
    last = lastOwn;
  }

  return {
    began() {
      const found = header();
      if (found?.hasChanged() === true) isBehind = true;
      commitsBefore = isBehind ? undefined : found?.commits();
    },
    committed(committed) {
      const before = commitsBefore;
      commitsBefore = undefined;
      if (before === undefined || committed === undefined) return;
      const { changes, lastId } = committed;
      if (own.length + changes.length > REPORTED_MAX) return;
      if (header()?.noteCommitAfter(before) !== true || changes.length === 0) return;
      own.push(...changes);
      lastOwn = lastId;
    },
    catchUp() {
      if (own.length > 0) reportOwn();
      if (header()?.hasChanged() === false && !isBehind) return true;
      isBehind = true;
      try {
        read(readLog);
      } catch {
        // Reading the records throws the error.
        return false;
      }
      isBehind = false;
      return true;
    },
  };
}
