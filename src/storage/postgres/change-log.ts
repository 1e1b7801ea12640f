import {
  CHANGES_SCANNED_MAX,
  type ChangeLog,
  type ChangePage,
  type ChangeRequest,
  eventsExpired,
  type NumberingLag,
} from '../../domain/change-log.ts';
import { CHANGE_COLUMNS, type ChangeRow, loggedChangeOf } from '../rows/change.ts';
import type { Session } from './connection.ts';
import { texts } from './json.ts';
import type { Access } from './writer.ts';

const COLUMNS = CHANGE_COLUMNS.join(', ');

/**
 * The rows of `found` beside the bounds of the log; only the bounds if there are no such rows. One
 * statement, so that no row is removed between the bounds and the rows.
 */
const page = (found: string) =>
  `SELECT oldest, newest, change.* FROM (
     SELECT min(id) AS oldest, max(id) AS newest FROM changes
   ) AS bounds LEFT JOIN LATERAL (${found}) AS change ON true ORDER BY id`;

/** $1 is the id to continue after, $2 the limit. */
const AFTER = `SELECT id, ${COLUMNS} FROM changes
  WHERE id > coalesce(CAST($1 AS bigint), oldest - 1) ORDER BY id`;
const ALL = page(`${AFTER} LIMIT $2`);
/** $3 are the types. */
const OF_TYPES = page(
  `SELECT * FROM (${AFTER} LIMIT ${CHANGES_SCANNED_MAX}) AS scanned
   WHERE type IN (${texts('$3')}) ORDER BY id LIMIT $2`,
);

/** A row of the log, or NULLs beside the bounds. */
type PageRow = { oldest: bigint | null; newest: bigint | null } & (ChangeRow | { id: null });

/** The change log in PostgreSQL: changes are listed once they have an id. */
export function createChangeLog({ read, write }: Access, listen: ChangeLog['listen']): ChangeLog {
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
    removeExpired: (time, most) => write((session) => removeExpired(session, time, most)),
    lag: () => read(lag),
  };
}

async function list(session: Session, { after, types, limit }: ChangeRequest): Promise<ChangePage> {
  const position = after ?? null;
  const found =
    types === undefined
      ? await session.query<PageRow>(ALL, position, limit)
      : await session.query<PageRow>(OF_TYPES, position, limit, JSON.stringify(types));
  const { oldest, newest } = found[0] ?? {};
  if (oldest == null || newest == null) return { changes: [], resumeAfter: after ?? 0n };
  if (after !== undefined && after < oldest - 1n) throw eventsExpired();
  const from = after ?? oldest - 1n;
  const rows = found.flatMap((row) => (row.id === null ? [] : row));
  // Ids have no gaps.
  const scanned = smaller(from + BigInt(CHANGES_SCANNED_MAX), newest);
  const isCut = types === undefined || rows.length === limit;
  const resumeAfter = isCut ? (rows.at(-1)?.id ?? from) : scanned;
  return {
    changes: rows.map(loggedChangeOf),
    resumeAfter: resumeAfter > from ? resumeAfter : from,
  };
}

const smaller = (one: bigint, other: bigint) => (one < other ? one : other);

/** Removes from the start up to the first change that is younger, so that no gap appears. */
async function removeExpired(session: Session, time: number, most: number): Promise<number> {
  return await session.run(
    `DELETE FROM changes WHERE id < (
       SELECT coalesce(
         (SELECT min(id) FROM (SELECT id, at FROM changes ORDER BY id LIMIT $2) AS first
          WHERE at > $1),
         (SELECT id FROM changes ORDER BY id LIMIT 1 OFFSET $2),
         (SELECT max(id) FROM changes)
       )
     )`,
    BigInt(time),
    BigInt(most),
  );
}

async function lag(session: Session): Promise<NumberingLag> {
  const [row] = await session.query<{ waiting: bigint; age: bigint | null }>(
    `SELECT count(*) AS waiting,
       CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) - min(at) AS age
     FROM unnumbered_changes`,
  );
  const { waiting = 0n, age = null } = row ?? {};
  return { waiting: Number(waiting), oldestMs: Math.max(0, Number(age ?? 0n)) };
}
