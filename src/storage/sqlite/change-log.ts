import type { Database } from 'bun:sqlite';
import {
  CHANGES_SCANNED_MAX,
  type ChangeLog,
  type ChangePage,
  type ChangeRequest,
  eventsExpired,
} from '../../domain/change-log.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import { type ChangeRow, loggedChangeOf } from '../rows/change.ts';
import type { Access } from './access.ts';
import { CHANGE_ROW_COLUMNS, createChangeRows } from './change-rows.ts';

/** The change log in SQLite. Transactions are serial, so ids are given in the order of commits. */
export function createChangeLog(
  database: Database,
  { read, write }: Access,
  listen: ChangeLog['listen'],
): ChangeLog {
  const log = createChangeRows(database);
  const oldest = database.query<{ id: bigint | null }, []>('SELECT min(id) AS id FROM changes');
  const lastScanned = database.query<{ id: bigint }, [bigint, number]>(
    'SELECT id FROM changes WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?',
  );
  const ofTypes = database.query<ChangeRow, [bigint, bigint, string, number]>(
    `SELECT ${CHANGE_ROW_COLUMNS} FROM changes
     WHERE id > ? AND id <= ? AND type IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`,
  );
  // From the start up to the first change that is younger, so that no gap appears.
  const sweep = database.query<null, [number, number, bigint]>(
    `DELETE FROM changes WHERE id <= ?3 AND id < (
       SELECT coalesce(
         (SELECT min(id) FROM (SELECT id, at FROM changes ORDER BY id LIMIT ?2) WHERE at > ?1),
         (SELECT id FROM changes ORDER BY id LIMIT 1 OFFSET ?2),
         (SELECT max(id) FROM changes)
       )
     )`,
  );

  function list({ after, types, limit }: ChangeRequest): ChangePage {
    const from = after ?? 0n;
    const scannedTo =
      types && (lastScanned.get(from, CHANGES_SCANNED_MAX - 1)?.id ?? log.newestId());
    const rows =
      types === undefined || scannedTo === undefined
        ? log.after(from, limit)
        : ofTypes.all(from, scannedTo, JSON.stringify(types), limit);
    // Checked after the read: another process may remove changes between two statements.
    const first = oldest.get()?.id ?? 0n;
    if (after !== undefined && after < first - 1n) throw eventsExpired();
    const last = (rows.length < limit ? scannedTo : undefined) ?? rows.at(-1)?.id ?? from;
    return { changes: rows.map(loggedChangeOf), resumeAfter: last > from ? last : from };
  }

  return {
    list: (request) => read(() => list(request)),
    newest: () => read(log.newestId),
    listen,
    removeExpired: (time, most, upTo = INT64_MAX) =>
      write(() => sweep.run(time, most, upTo).changes),
    lag: () => ({ waiting: 0, oldestMs: 0 }),
  };
}
