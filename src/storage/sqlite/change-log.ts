import type { Database } from 'bun:sqlite';
import {
  CHANGES_SCANNED_MAX,
  type ChangeLog,
  type ChangePage,
  type ChangeRequest,
  eventsExpired,
} from '../../domain/change-log.ts';
import {
  CHANGE_COLUMNS,
  type ChangeRow,
  createSweeps,
  FIRST_EVENT,
  IS_EVENT,
  loggedChangeOf,
} from '../records/change.ts';
import type { Transactions } from '../statements.ts';
import type { Access } from './access.ts';

const COLUMNS = `id, ${CHANGE_COLUMNS}`;

/** Creates the reader of the change log in order of its ids. */
export function createChangeRows(database: Database) {
  const newest = database.query<{ id: bigint | null }, []>('SELECT max(id) AS id FROM changes');
  const after = database.query<ChangeRow, [bigint, number]>(
    `SELECT ${COLUMNS} FROM changes WHERE id > ? ORDER BY id LIMIT +?`,
  );
  return {
    /** Returns the greatest id; 0 for an empty log. */
    newestId: () => newest.get()?.id ?? 0n,
    /** Returns the rows with a greater id, at most `limit`. */
    after: (id: bigint, limit: number) => after.all(id, limit),
  };
}

/** The change log in SQLite. Transactions are serial, so ids are given in the order of commits. */
export function createChangeLog(
  database: Database,
  { read }: Access,
  transactions: Transactions,
  listen: ChangeLog['listen'],
): ChangeLog {
  const log = createChangeRows(database);
  const oldest = database.query<{ id: bigint | null }, []>(`SELECT ${FIRST_EVENT} AS id`);
  const lastScanned = database.query<{ id: bigint }, [bigint, number]>(
    'SELECT id FROM changes WHERE id > ? ORDER BY id LIMIT 1 OFFSET +?',
  );
  const events = database.query<ChangeRow, [bigint, number]>(
    `SELECT ${COLUMNS} FROM changes WHERE id > ? AND ${IS_EVENT} ORDER BY id LIMIT +?`,
  );
  const ofTypes = database.query<ChangeRow, [bigint, bigint, string, number]>(
    `SELECT ${COLUMNS} FROM changes
     WHERE id > ? AND id <= ? AND ${IS_EVENT} AND type IN (SELECT value FROM json_each(?))
     ORDER BY id LIMIT +?`,
  );
  function list({ after, types, limit }: ChangeRequest): ChangePage {
    const from = after ?? (oldest.get()?.id ?? 1n) - 1n;
    const next = types && lastScanned.get(from, CHANGES_SCANNED_MAX - 1)?.id;
    const scannedTo = next ?? log.newestId();
    const rows =
      types === undefined
        ? events.all(from, limit)
        : ofTypes.all(from, scannedTo, JSON.stringify(types), limit);
    // Checked after the read: another process may remove changes between two statements.
    const first = oldest.get()?.id ?? 0n;
    if (after !== undefined && after < first - 1n) throw eventsExpired();
    const found = rows.at(-1)?.id ?? from;
    const last = rows.length < limit && scannedTo > found ? scannedTo : found;
    return { changes: rows.map(loggedChangeOf), resumeAfter: last > from ? last : from };
  }

  return {
    list: (request) => read(() => list(request)),
    newest: () => read(log.newestId),
    listen,
    ...createSweeps(transactions),
    lag: async () => ({ waiting: 0, oldestMs: 0 }),
  };
}
