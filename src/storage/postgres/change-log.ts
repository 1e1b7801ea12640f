import {
  CHANGES_SCANNED_MAX,
  type ChangeLog,
  type ChangePage,
  type ChangeRequest,
  eventsExpired,
  type NumberingLag,
} from '../../domain/change-log.ts';
import {
  CHANGE_COLUMNS,
  type ChangeRow,
  createSweeps,
  FIRST_EVENT,
  IS_EVENT,
  loggedChangeOf,
} from '../records/change.ts';
import { isTextIn, type Transactions } from '../statements.ts';
import type { Session } from './connection.ts';
import type { Access } from './writer.ts';

/** The oldest id, and the id to continue after if `after` ($1) is not given. */
const START = `(
  SELECT oldest, newest, coalesce(CAST($1 AS bigint), oldest - 1) AS start
  FROM (SELECT ${FIRST_EVENT} AS oldest, (SELECT max(id) FROM changes) AS newest) AS ends
) AS beginning`;

/**
 * At most $2 rows after an id beside the oldest id; only that if there are no such rows. One statement,
 * so that no row is removed in between.
 */
const ALL = `SELECT oldest, newest AS scanned, change.* FROM ${START} LEFT JOIN LATERAL (
    SELECT id, ${CHANGE_COLUMNS} FROM changes WHERE id > start AND ${IS_EVENT}
    ORDER BY id LIMIT $2
  ) AS change ON true ORDER BY id`;

/** The same for rows of some types ($3) among the next ones, and the last of those. */
const OF_TYPES = `SELECT oldest, scanned, change.* FROM ${START} CROSS JOIN LATERAL (
    SELECT max(id) AS scanned FROM (
      SELECT id FROM changes WHERE id > start ORDER BY id LIMIT ${CHANGES_SCANNED_MAX}
    ) AS next
  ) AS scanned_rows LEFT JOIN LATERAL (
    SELECT id, ${CHANGE_COLUMNS} FROM changes
    WHERE id > start AND id <= scanned AND ${IS_EVENT} AND type ${isTextIn('$3').postgres} ORDER BY id LIMIT $2
  ) AS change ON true ORDER BY id`;

/** A row of the log, or NULLs, beside the oldest id. */
type PageRow = {
  readonly oldest: bigint | null;
  readonly scanned: bigint | null;
} & (ChangeRow | { readonly id: null });

/** The change log in PostgreSQL: changes are listed once they have an id. */
export function createChangeLog(
  { read }: Access,
  transactions: Transactions,
  listen: ChangeLog['listen'],
): ChangeLog {
  return {
    list: (request) => read((session) => list(session, request)),
    newest: () =>
      read(async (session) => {
        const [row] = await session.query<{ id: bigint | null }>(
          'SELECT max(id) AS id FROM changes',
        );
        return row?.id ?? 0n;
      }),
    listen,
    ...createSweeps(transactions),
    lag: () => read(readLag),
  };
}

async function list(session: Session, { after, types, limit }: ChangeRequest): Promise<ChangePage> {
  const position = after ?? null;
  const found =
    types === undefined
      ? await session.query<PageRow>(ALL, position, limit)
      : await session.query<PageRow>(OF_TYPES, position, limit, JSON.stringify(types));
  const { oldest, scanned } = found[0] ?? {};
  if (oldest == null) return { changes: [], resumeAfter: after ?? 0n };
  if (after !== undefined && after < oldest - 1n) throw eventsExpired();
  const rows = found.flatMap((row) => (row.id === null ? [] : row));
  const last = rows.at(-1)?.id;
  const start = after ?? oldest - 1n;
  const reached = (rows.length === limit ? last : scanned) ?? start;
  const resumeAfter = reached > start ? reached : start;
  return { changes: rows.map(loggedChangeOf), resumeAfter };
}

/** Returns how the numbering of changes keeps up. */
export async function readLag(session: Session): Promise<NumberingLag> {
  const [row] = await session.query<{ waiting: bigint; age: bigint | null }>(
    `SELECT count(*) AS waiting,
       CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) - min(at) AS age
     FROM unnumbered_changes`,
  );
  const { waiting = 0n, age = null } = row ?? {};
  return { waiting: Number(waiting), oldestMs: Math.max(0, Number(age ?? 0n)) };
}
