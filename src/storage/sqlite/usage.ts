import type { Database } from 'bun:sqlite';
import {
  type HourUsage,
  periodStart,
  USAGE_PERIODS,
  type UsagePeriod,
  type UsageStorage,
} from '../../domain/usage.ts';
import {
  type KeyUsageRow,
  keyUsageOf,
  type PeriodRow,
  periodOf,
  USAGE_SUMS,
} from '../rows/usage.ts';
import type { Access } from './access.ts';

/** Usage in SQLite. */
export function createUsageStorage(database: Database, { read, write }: Access): UsageStorage {
  const add = database.query<
    null,
    [keyId: bigint, UsagePeriod, start: number, requests: number, refused: number, errors: number]
  >(
    `INSERT INTO usage_counts (key_id, period, start, requests, refused, errors)
     SELECT id, ?2, ?3, ?4, ?5, ?6 FROM api_keys WHERE id = ?1
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
       refused = refused + excluded.refused, errors = errors + excluded.errors`,
  );
  const ofKey = database.query<PeriodRow, [bigint, UsagePeriod, number, number]>(
    `SELECT start, requests, refused, errors FROM usage_counts
     WHERE key_id = ? AND period = ? AND start >= ? AND start < ? ORDER BY start`,
  );
  const ofAll = database.query<PeriodRow, [UsagePeriod, number, number]>(
    `SELECT start, ${USAGE_SUMS} FROM usage_counts
     WHERE period = ? AND start >= ? AND start < ? GROUP BY start ORDER BY start`,
  );
  const busiest = database.query<KeyUsageRow, [UsagePeriod, number, number, number]>(
    `SELECT key_id, ${USAGE_SUMS} FROM usage_counts
     WHERE period = ? AND start >= ? AND start < ?
     GROUP BY key_id ORDER BY sum(requests) + sum(refused) DESC, key_id LIMIT ?`,
  );
  const remove = database.query<null, [UsagePeriod, number, number]>(
    `DELETE FROM usage_counts WHERE (key_id, period, start) IN (
       SELECT key_id, period, start FROM usage_counts WHERE period = ? AND start < ? LIMIT ?
     )`,
  );

  function addHour({ keyId, start, requests, refused, errors }: HourUsage): void {
    for (const period of USAGE_PERIODS) {
      add.run(keyId, period, periodStart(period, start), requests, refused, errors);
    }
  }

  return {
    add: (usage) => write(() => usage.forEach(addHour)),
    list: (keyId, { period, from, to }) =>
      read(() => {
        const rows =
          keyId === undefined ? ofAll.all(period, from, to) : ofKey.all(keyId, period, from, to);
        return rows.map(periodOf);
      }),
    busiest: ({ period, from, to }, most) =>
      read(() => busiest.all(period, from, to, most).map(keyUsageOf)),
    removeExpired: (period, time, most) => write(() => remove.run(period, time, most).changes),
  };
}
