import * as z from 'zod';
import { DAY_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import { thenDo } from '../../domain/maybe-promise.ts';
import {
  PERIOD_MS,
  type PeriodUsage,
  periodStart,
  USAGE_KEPT_MS,
  USAGE_PERIODS,
  type UsagePeriod,
  type UsageRange,
  usageExpiry,
  withEmptyPeriods,
} from '../../domain/usage.ts';
import { timeInQuery } from '../contract/bounded-fields.ts';
import { countOut, oneOf, timeOut, timeText } from '../contract/fields.ts';
import { defineOperation, type Operation } from '../contract/operation.ts';
import { found, keyPath, NO_SUCH_KEY } from './key-values.ts';

const FALLBACK_PERIOD = 'hour';
/** The length of a range without `from`, in milliseconds. */
const FALLBACK_MS: Record<UsagePeriod, number> = { hour: DAY_MS, day: 30 * DAY_MS };
/** A range that starts within a period has one more. */
const PERIODS_MAX = USAGE_KEPT_MS.day / PERIOD_MS.day + 1;

const LIMIT_TEXT = USAGE_PERIODS.map(
  (period) => `${USAGE_KEPT_MS[period] / DAY_MS} days with per=${period}`,
).join(', ');

const periodSchema = z
  .object({
    start: timeOut('When the hour or day starts'),
    requests: countOut('Charged requests.'),
    refused: countOut('Requests answered with 429. They are not charged.'),
    errors: countOut('Charged requests answered with 5xx.'),
  })
  .meta({ id: 'KeyUsage', description: 'The requests of an API key in an hour or a day of UTC.' });

const usageQuery = z.object({
  per: oneOf(USAGE_PERIODS)
    .optional()
    .meta({ description: `\`hour\` or \`day\`; \`${FALLBACK_PERIOD}\` if omitted.` }),
  from: timeInQuery(
    'The first hour or day is the one with this time. A day before `to` if omitted, or 30 days with `per=day`',
  ),
  to: timeInQuery('The last hour or day is the one that starts before this time. Now if omitted'),
});

/** Returns the range to read. Throws `invalid_parameter`. */
function rangeOf({ per: period = FALLBACK_PERIOD, ...query }: UsageQuery, now: number): UsageRange {
  const oldest = usageExpiry(period, now);
  const to = query.to ?? now;
  const given = query.from ?? Math.max(to - FALLBACK_MS[period], oldest);
  const from = periodStart(period, given);
  const refuse = (problem: string) => new Failure('invalid_parameter', problem);
  if (given >= to) throw refuse('from must be before to.');
  if (to - given > USAGE_KEPT_MS[period]) {
    throw refuse(`from must be close enough to to: at most ${LIMIT_TEXT}.`);
  }
  if (from < oldest) throw refuse(`from must not be too long ago: at most ${LIMIT_TEXT}.`);
  return { period, from, to };
}

type UsageQuery = z.output<typeof usageQuery>;

function periodValue({ start, ...counts }: PeriodUsage) {
  return { start: timeText(start), ...counts };
}

const getKeyUsage = defineOperation({
  id: 'getKeyUsage',
  method: 'GET',
  path: '/keys/{keyId}/usage',
  access: 'admin',
  stability: 'beta',
  tag: 'Keys',
  summary: 'Get the usage of an API key',
  description: `Returns what the key sent in each hour or day of UTC, from the oldest to the newest, with zeros where it sent nothing. A key and the keys that replace it are counted separately. Hours are kept for 7 days, days for 400. Requests to other instances may be missing for a second.`,
  pathParameters: keyPath,
  pathFailure: 'key_not_found',
  queryParameters: usageQuery,
  success: {
    status: 200,
    description: 'The counts of each hour or day.',
    schema: z.array(periodSchema).max(PERIODS_MAX).meta({
      id: 'KeyUsages',
      description: 'The requests of an API key by hour or day, from the oldest to the newest.',
    }),
    example: [
      { start: '2026-11-22T08:00:00.000Z', requests: 0, refused: 0, errors: 0 },
      { start: '2026-11-22T09:00:00.000Z', requests: 412, refused: 3, errors: 0 },
    ],
    headers: ['ETag'],
  },
  failures: { key_not_found: NO_SUCH_KEY },
  handle({ path, query, stamp }, { storage, usage }) {
    const range = rangeOf(query, stamp.at);
    return thenDo(storage.keys.find(path.keyId), (key) =>
      thenDo(usage.list(found(key).id, range), (counted) => ({
        status: 200,
        value: withEmptyPeriods(range, counted).map(periodValue),
      })),
    );
  },
});

export const keyUsageOperations: readonly Operation[] = [getKeyUsage];
