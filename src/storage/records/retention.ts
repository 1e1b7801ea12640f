import {
  type ErasedTable,
  type Erasure,
  isTrusted,
  leftOf,
  type RetentionRun,
  type RetentionStorage,
} from '../../domain/retention.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  one,
  only,
  query,
  run,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { FIRST_EVENT } from './change.ts';

/** The time of the newest record; null without any. */
export const NEWEST_RECORD = `SELECT coalesce(
    (SELECT at FROM changes ORDER BY id DESC LIMIT 1),
    (SELECT created_at FROM api_keys ORDER BY id DESC LIMIT 1)
  ) AS at`;
const NEWEST = query(
  ({ at }: { readonly at: bigint | null }) => (at === null ? undefined : Number(at)),
  sql`${NEWEST_RECORD}`,
);
const flag = (cell: bigint) => cell === 1n;
const RUN = fieldsOf(
  { trustedAt: number, isUnbounded: flag, isAsked: flag },
  { isUnbounded: 'unbounded', isAsked: 'asked' },
);
const FIND = query(RUN.of, sql`SELECT ${RUN.columns} FROM retention`);
const START = query(
  RUN.of,
  sql`INSERT INTO retention (only_one, trusted_at, unbounded, asked) VALUES (1, $1, 1, 0)
    ON CONFLICT (only_one) DO UPDATE SET only_one = 1 RETURNING ${RUN.columns}`,
);
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
const OF_DAY = query(
  ERASURE.of,
  sql`SELECT ${ERASURE.columns} FROM erasures WHERE table_name = $1 AND day >= $2`,
);
const ADD = query(
  ERASURE.of,
  sql`UPDATE erasures SET erased = erased + $3 WHERE table_name = $1 AND day >= $2
    RETURNING ${ERASURE.columns}`,
);
const FIRST = query(
  ERASURE.of,
  sql`INSERT INTO erasures (table_name, day, rows_before, erased) VALUES ($1, $2, $3, $4)
    ON CONFLICT (table_name) DO UPDATE
    SET day = excluded.day, rows_before = excluded.rows_before, erased = excluded.erased
    RETURNING ${ERASURE.columns}`,
);
/** What counts as rows of a table. */
const ROWS: Partial<Record<ErasedTable, string>> = {
  events: `changes WHERE id >= ${FIRST_EVENT}`,
  orders: 'orders WHERE coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL',
};
const countOf = (table: ErasedTable): Sql => sql`SELECT count(*) AS n FROM ${ROWS[table] ?? table}`;
const rowCount = ({ n }: { readonly n: bigint }) => Number(n);

function* begin(now: number): Work<RetentionRun | undefined> {
  let found = yield* one(FIND);
  if (found === undefined) {
    const newest = yield* only(NEWEST);
    if (newest === undefined) return undefined;
    found = yield* only(START, newest);
  }
  if (!isTrusted(now, found.trustedAt)) yield* run(WAIT, now);
  return found;
}

function* left(table: ErasedTable, day: number): Work<number | undefined> {
  const found = yield* one(OF_DAY, table, day);
  return found && leftOf(found);
}

function* note(table: ErasedTable, day: number, erased: number): Work<Erasure> {
  const known = yield* one(ADD, table, day, erased);
  if (known !== undefined) return known;
  const rows = yield* only(query(rowCount, countOf(table)));
  return yield* only(FIRST, table, day, rows + erased, erased);
}

/** What retention has to remember. */
export function createRetentionStorage({ read, write }: Transactions): RetentionStorage {
  return {
    begin: async (now) => await write(() => begin(now)),
    end: async (now) => await write(() => run(END, now)),
    ask: async (now) => await write(() => run(ASK, now)),
    left: async (table, day) => await read(() => left(table, day)),
    note: async (table, day, erased) => await write(() => note(table, day, erased)),
  };
}
