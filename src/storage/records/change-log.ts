import {
  CHANGES_SCANNED_MAX,
  type ChangeLog,
  type ChangePage,
  type ChangeRequest,
  eventsExpired,
} from '../../domain/change-log.ts';
import { INT64_MAX } from '../../domain/int64.ts';
import { isTextIn, methodsOf, type Sql, sql, type Transactions, type Work } from '../statements.ts';
import { CHANGE_COLUMNS, type ChangeRow, FIRST_EVENT, loggedChangeOf } from './change.ts';

/** The condition for changes that are events. */
const IS_EVENT = 'subject_id IS NULL';
/** The id to continue after, if it is not given ($1). */
const START = `coalesce(CAST($1 AS bigint), ${FIRST_EVENT} - 1)`;

/** A row of the log; or the oldest id and the last one that was read. */
type PageRow =
  | (ChangeRow & { readonly oldest: null; readonly scanned: null })
  | { readonly id: null; readonly oldest: bigint | null; readonly scanned: bigint | null };

/** Reads at most $2 events after an id, and those ids: in one statement, so that none is removed in between. */
function pageOf(scanned: string, condition: Sql) {
  return sql`SELECT ${FIRST_EVENT} AS oldest, ${scanned} AS scanned, NULL AS id,
      ${CHANGE_COLUMNS.replaceAll(/\w+/g, 'NULL AS $&')}
    UNION ALL SELECT NULL, NULL, id, ${CHANGE_COLUMNS} FROM (
      SELECT id, ${CHANGE_COLUMNS} FROM changes
      WHERE id > ${START} AND ${IS_EVENT} ${condition} ORDER BY id LIMIT $2
    ) AS change`.as<PageRow>();
}
const ALL = pageOf('(SELECT max(id) FROM changes)', sql``);
/** The last change that a filter by type ($3) reads. */
const SCANNED = `coalesce(
    (SELECT id FROM changes WHERE id > ${START} ORDER BY id LIMIT 1 OFFSET ${CHANGES_SCANNED_MAX - 1}),
    (SELECT max(id) FROM changes)
  )`;
const OF_TYPES = pageOf(SCANNED, sql`AND id <= ${SCANNED} AND type ${isTextIn('$3')}`);
const NEWEST = sql`SELECT max(id) AS id FROM changes`.value((id: bigint | null) => id ?? 0n);

function* list({ after, types, limit }: ChangeRequest): Work<ChangePage> {
  const position = after ?? null;
  const found = yield* types === undefined
    ? ALL.all(position, limit)
    : OF_TYPES.all(position, limit, JSON.stringify(types));
  const { oldest, scanned } = found.find(({ id }) => id === null) ?? {};
  if (oldest == null) return { changes: [], resumeAfter: after ?? 0n };
  if (after !== undefined && after < oldest - 1n) throw eventsExpired();
  const rows = found
    .flatMap((row) => (row.id === null ? [] : row))
    .sort((one, other) => Number(one.id - other.id));
  const last = rows.at(-1)?.id;
  const start = after ?? oldest - 1n;
  const reached = (rows.length === limit ? last : scanned) ?? start;
  return { changes: rows.map(loggedChangeOf), resumeAfter: reached > start ? reached : start };
}

const FIRST = sql`SELECT ${FIRST_EVENT} AS first`.value((first: bigint | null) => first ?? 0n);

/** The first change that is younger, after at most `$2` that are not. The newest always stays. */
const next = (first: string) => sql`coalesce(
    (SELECT min(id) FROM (
      SELECT id, at FROM changes WHERE id >= ${first} ORDER BY id LIMIT $2
    ) AS first WHERE at > $1),
    (SELECT id FROM changes WHERE id >= ${first} ORDER BY id LIMIT 1 OFFSET $2),
    (SELECT max(id) FROM changes)
  )`;
const NEXT = sql`SELECT id, (SELECT count(*) FROM changes WHERE id >= $3 AND id < upto.id) AS passed
    FROM (SELECT CASE WHEN id > $4 THEN $4 ELSE id END AS id
      FROM (SELECT ${next('$3')} AS id) AS found
    WHERE id IS NOT NULL) AS upto`.as<{ readonly id: bigint; readonly passed: bigint }>();
const SET_FIRST = sql`INSERT INTO event_start (only_one, first_id) VALUES (1, $1)
  ON CONFLICT (only_one) DO UPDATE SET first_id = excluded.first_id
  WHERE event_start.first_id < excluded.first_id`;
const SWEEP = sql`DELETE FROM changes WHERE id < ${next('0')} AND id < ${FIRST_EVENT}`;

function* expire(time: number, most: number, upTo: bigint): Work<number> {
  const first = yield* FIRST.only();
  const found = yield* NEXT.one(time, most, first, upTo);
  if (found === undefined || found.id <= first) return 0;
  yield* SET_FIRST.run(found.id);
  return Number(found.passed);
}

/** The change log. An engine knows when changes of this process can be read, and how their numbering keeps up. */
export function createChangeLog(
  transactions: Transactions,
  own: Pick<ChangeLog, 'listen' | 'lag'>,
): ChangeLog {
  const { reads, writes } = methodsOf<ChangeLog>(transactions);
  return {
    ...own,
    ...reads({ list, newest: () => NEWEST.only() }),
    ...writes({
      removeExpired: (time, most, upTo = INT64_MAX - 1n) => expire(time, most, upTo + 1n),
      // No gap appears: what is removed is at the start.
      removeFromAudit: (time, most) => SWEEP.changes(time, most),
    }),
  };
}
