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
import type { Session } from './connection.ts';
import { records } from './json.ts';
import type { Access } from './writer.ts';

const TYPED =
  'key_id bigint, period text, start bigint, requests bigint, refused bigint, errors bigint';

/** Usage in PostgreSQL. */
export function createUsageStorage({ read, write }: Access): UsageStorage {
  return {
    add: (usage) => write((session) => add(session, usage)),
    list: (keyId, { period, from, to }) =>
      read(async (session) => {
        const rows = await session.query<PeriodRow>(
          `SELECT start, ${USAGE_SUMS} FROM usage_counts
           WHERE ($1::bigint IS NULL OR key_id = $1) AND period = $2 AND start >= $3 AND start < $4
           GROUP BY start ORDER BY start`,
          keyId ?? null,
          period,
          BigInt(from),
          BigInt(to),
        );
        return rows.map(periodOf);
      }),
    busiest: ({ period, from, to }, most) =>
      read(async (session) => {
        const rows = await session.query<KeyUsageRow>(
          `SELECT key_id, ${USAGE_SUMS} FROM usage_counts
           WHERE period = $1 AND start >= $2 AND start < $3
           GROUP BY key_id ORDER BY sum(requests) + sum(refused) DESC, key_id LIMIT $4`,
          period,
          BigInt(from),
          BigInt(to),
          most,
        );
        return rows.map(keyUsageOf);
      }),
    removeExpired: (period, time, most) =>
      write((session) => removeExpired(session, period, time, most)),
  };
}

async function add(session: Session, usage: readonly HourUsage[]): Promise<void> {
  if (usage.length === 0) return;
  const rows = usage.flatMap(({ keyId, start, ...counts }) =>
    USAGE_PERIODS.map((period) => ({
      ...counts,
      key_id: String(keyId),
      period,
      start: periodStart(period, start),
    })),
  );
  // Summed, since a day has several hours. Sorted, so that instances that write at once cannot deadlock.
  await session.run(
    `INSERT INTO usage_counts (key_id, period, start, requests, refused, errors)
     SELECT key_id, period, start, ${USAGE_SUMS}
     FROM ${records('$1', TYPED)} WHERE key_id IN (SELECT id FROM api_keys)
     GROUP BY key_id, period, start ORDER BY key_id, period, start
     ON CONFLICT (key_id, period, start) DO UPDATE SET
       requests = usage_counts.requests + excluded.requests,
       refused = usage_counts.refused + excluded.refused,
       errors = usage_counts.errors + excluded.errors`,
    JSON.stringify(rows),
  );
}

async function removeExpired(
  session: Session,
  period: UsagePeriod,
  time: number,
  most: number,
): Promise<number> {
  const removed = await session.query(
    `DELETE FROM usage_counts WHERE (key_id, period, start) IN (
       SELECT key_id, period, start FROM usage_counts WHERE period = $1 AND start < $2
       ORDER BY start, key_id LIMIT $3 FOR UPDATE SKIP LOCKED
     ) RETURNING start`,
    period,
    BigInt(time),
    most,
  );
  return removed.length;
}
