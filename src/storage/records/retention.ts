import {
  type ErasedTable,
  isTrusted,
  leftOf,
  type RetentionStorage,
} from '../../domain/retention.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { methodsOf, sql, type Transactions } from '../statements.ts';
import { FIRST_EVENT } from './change.ts';

/** The time of the newest record; null without any. */
export const NEWEST_RECORD = `SELECT coalesce(
    (SELECT at FROM changes ORDER BY id DESC LIMIT 1),
    (SELECT created_at FROM api_keys ORDER BY id DESC LIMIT 1)
  ) AS at`;
const NEWEST = sql`${NEWEST_RECORD}`.value((at: bigint | null) =>
  at === null ? undefined : Number(at),
);
const flag = (cell: bigint) => cell === 1n;
const RUN = fieldsOf(
  { trustedAt: number, isUnbounded: flag, isAsked: flag },
  { isUnbounded: 'unbounded', isAsked: 'asked' },
);
const FIND = sql`SELECT ${RUN.columns} FROM retention`.as(RUN);
const START =
  sql`INSERT INTO retention (only_one, trusted_at, unbounded, asked) VALUES (1, $1, 1, 0)
    ON CONFLICT (only_one) DO UPDATE SET only_one = 1 RETURNING ${RUN.columns}`.as(RUN);
const WAIT = sql`UPDATE retention SET waiting_at = $1 WHERE waiting_at IS NULL`;
const END = sql`UPDATE retention SET waiting_at = NULL, unbounded = 0, asked = 0,
  trusted_at = CASE WHEN trusted_at > $1 THEN trusted_at ELSE $1 END`;
const ASK = sql`INSERT INTO retention (only_one, trusted_at, unbounded, asked) VALUES (1, $1, 1, 1)
  ON CONFLICT (only_one) DO UPDATE
  SET trusted_at = excluded.trusted_at, waiting_at = NULL, unbounded = 1, asked = 1`;

const ERASURE = fieldsOf(
  { name: plain<string>(), day: number, rowsBefore: number, erased: number },
  { name: 'table_name' },
);
/** A clock that was set back over midnight begins no new day. */
const OF_DAY = sql`SELECT ${ERASURE.columns} FROM erasures WHERE table_name = $1 AND day >= $2`.as(
  ERASURE,
);
const ADD = sql`UPDATE erasures SET erased = erased + $3 WHERE table_name = $1 AND day >= $2
    RETURNING ${ERASURE.columns}`.as(ERASURE);
const FIRST =
  sql`INSERT INTO erasures (table_name, day, rows_before, erased) VALUES ($1, $2, $3, $4)
    ON CONFLICT (table_name) DO UPDATE
    SET day = excluded.day, rows_before = excluded.rows_before, erased = excluded.erased
    RETURNING ${ERASURE.columns}`.as(ERASURE);
/** What counts as rows of a table. */
const ROWS: Partial<Record<ErasedTable, string>> = {
  events: `changes WHERE id >= ${FIRST_EVENT}`,
  orders: 'orders WHERE coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL',
};
const countOf = (table: ErasedTable) =>
  sql`SELECT count(*) AS n FROM ${ROWS[table] ?? table}`.value(number);

/** What retention has to remember. */
export function createRetentionStorage(transactions: Transactions): RetentionStorage {
  const { reads, writes } = methodsOf<RetentionStorage>(transactions);
  return {
    ...reads({
      *left(table, day) {
        const found = yield* OF_DAY.one(table, day);
        return found && leftOf(found);
      },
    }),
    ...writes({
      *begin(now) {
        let found = yield* FIND.one();
        if (found === undefined) {
          const newest = yield* NEWEST.only();
          if (newest === undefined) return undefined;
          found = yield* START.only(newest);
        }
        if (!isTrusted(now, found.trustedAt)) yield* WAIT.run(now);
        return found;
      },
      end: (now) => END.run(now),
      ask: (now) => ASK.run(now),
      *note(table, day, erased) {
        const known = yield* ADD.one(table, day, erased);
        if (known !== undefined) return known;
        const rows = yield* countOf(table).only();
        return yield* FIRST.only(table, day, rows + erased, erased);
      },
    }),
  };
}
