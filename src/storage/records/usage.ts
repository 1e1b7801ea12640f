import { periodStart, USAGE_PERIODS, type UsageStorage } from '../../domain/usage.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import { given, methodsOf, onPostgres, type Sql, sql, type Transactions } from '../statements.ts';

const COUNTS = { requests: number, refused: number, errors: number };
const PERIOD = fieldsOf({ start: number, ...COUNTS });
const KEY_USAGE = fieldsOf({ keyId: plain<bigint>(), ...COUNTS });

const SUMS = Object.keys(COUNTS)
  .map((column) => `CAST(sum(${column}) AS bigint) AS ${column}`)
  .join(', ');

const OF_KEY = sql`SELECT start, requests, refused, errors FROM usage_counts
    WHERE period = $1 AND start >= $2 AND start < $3 AND key_id = $4 ORDER BY start`.as(PERIOD);
const OF_ALL = sql`SELECT start, ${SUMS} FROM usage_counts
    WHERE period = $1 AND start >= $2 AND start < $3 GROUP BY start ORDER BY start`.as(PERIOD);
const BUSIEST = sql`SELECT key_id, ${SUMS} FROM usage_counts
    WHERE period = $1 AND start >= $2 AND start < $3
    GROUP BY key_id ORDER BY sum(requests) + sum(refused) DESC, key_id LIMIT $4`.as(KEY_USAGE);
const GIVEN = given(
  'key_id bigint, period text, start bigint, requests bigint, refused bigint, errors bigint',
);
/** Many rows are summed, since a day has several hours, and sorted, so that writers cannot deadlock. */
const ADDED: Sql = { sqlite: 'requests, refused, errors', postgres: SUMS };
const GROUPED = onPostgres('GROUP BY key_id, period, start ORDER BY key_id, period, start');
const ADD = sql`INSERT INTO usage_counts (key_id, period, start, requests, refused, errors)
  SELECT key_id, period, start, ${ADDED} FROM ${GIVEN}
  WHERE key_id IN (SELECT id FROM api_keys) ${GROUPED}
  ON CONFLICT (key_id, period, start) DO UPDATE SET
    requests = usage_counts.requests + excluded.requests,
    refused = usage_counts.refused + excluded.refused,
    errors = usage_counts.errors + excluded.errors`;
const SWEEP = sql`DELETE FROM usage_counts WHERE (key_id, period, start) ${isChosen(sql`
    SELECT key_id, period, start FROM usage_counts WHERE period = $1 AND start < $2
    ORDER BY start, key_id LIMIT $3 ${skipLocked}`)}`;

/** The requests of each key by hour and day. */
export function createUsageStorage(transactions: Transactions): UsageStorage {
  const { reads, writes } = methodsOf<UsageStorage>(transactions);
  return {
    ...reads({
      list: (keyId, { period, from, to }) =>
        keyId === undefined ? OF_ALL.all(period, from, to) : OF_KEY.all(period, from, to, keyId),
      busiest: ({ period, from, to }, most) => BUSIEST.all(period, from, to, most),
    }),
    ...writes({
      add: (usage) =>
        ADD.forRows(
          usage.flatMap((counts) =>
            USAGE_PERIODS.map((period) => ({
              ...counts,
              period,
              start: periodStart(period, counts.start),
            })),
          ),
        ),
      removeExpired: (period, time, most) => SWEEP.changes(period, time, most),
    }),
  };
}
