import * as z from 'zod';
import type { WindowStatus } from '../../domain/allowance.ts';
import { KEY_NAME_MAX, SCOPES } from '../../domain/api-key.ts';
import { DAY_MS, SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';
import { ALL_PLAN_NAMES } from '../../domain/plan.ts';
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
import { shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import { oneOf, timeInQuery } from '../contract/request-fields.ts';
import {
  assignedIdOut,
  countOut,
  nameOut,
  recordOut,
  timeOut,
  timeText,
  timeTextOrNull,
} from '../contract/response-fields.ts';
import { KEY_NAME, NO_SUCH_KEY, onKey } from './key-schemas.ts';

const seconds = (description: string) => countOut(`${description}, in Unix seconds.`);

const windowSchema = recordOut('UsageWindow', 'Quota status in one window of the plan.', () => ({
  limit: countOut('Requests allowed in the window.'),
  remaining: countOut('Requests remaining in the window.'),
  reset: seconds('When the window ends'),
}));

const ownKeySchema = recordOut('OwnKey', 'The API key of the request.', () => ({
  id: assignedIdOut('Id of the key.'),
  name: nameOut(KEY_NAME, KEY_NAME_MAX),
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).meta({
    description: 'What the key may do. Each scope includes those before it, except `webhooks`.',
  }),
  expiresAt: timeOut('When the key ends; null for never').nullable(),
}));

const usageSchema = recordOut('Usage', 'The quota status of an API key.', () => ({
  key: ownKeySchema,
  plan: z
    .enum(ALL_PLAN_NAMES)
    .meta({ description: 'The plan of the API key; `staff` is that of people.' }),
  minute: windowSchema,
  day: windowSchema,
  ban: z
    .object({ until: seconds('When the ban ends') })
    .nullable()
    .meta({ description: 'The current ban, or null.' }),
}));

function windowValue({ limit, remaining, resetsAt }: WindowStatus) {
  return { limit, remaining, reset: Math.ceil(resetsAt / SECOND_MS) };
}

const FALLBACK_PERIOD = 'hour';
/** The length of a range without `from`, in milliseconds. */
const FALLBACK_MS: Record<UsagePeriod, number> = { hour: DAY_MS, day: 30 * DAY_MS };
/** A range that starts within a period has one more. */
const PERIODS_MAX = USAGE_KEPT_MS.day / PERIOD_MS.day + 1;

const LIMIT_TEXT = USAGE_PERIODS.map(
  (period) => `${USAGE_KEPT_MS[period] / DAY_MS} days with per=${period}`,
).join(', ');

const periodSchema = recordOut(
  'KeyUsage',
  'The requests of an API key in an hour or a day of UTC.',
  () => ({
    start: timeOut('When the hour or day starts'),
    requests: countOut('Charged requests.'),
    refused: countOut('Requests answered with 429. They are not charged.'),
    errors: countOut('Charged requests answered with 5xx.'),
  }),
);

const usageQuery = z.object({
  per: oneOf(USAGE_PERIODS)
    .optional()
    .meta({ description: `\`hour\` or \`day\`; \`${FALLBACK_PERIOD}\` if omitted.` }),
  from: timeInQuery(
    'The first hour or day is the one with this time. A day before `to` if omitted, or 30 days with `per=day`',
    '2026-11-22T00:00:00Z',
  ),
  to: timeInQuery(
    'The last hour or day is the one that starts before this time. Now if omitted',
    '2026-11-23T00:00:00Z',
  ),
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

export const usageOperations = operationsNamed({
  getUsage: defineOperation({
    method: 'GET',
    path: '/usage',
    access: 'read',
    stability: 'beta',
    unmetered: true,
    tag: 'Usage',
    summary: 'Get the usage of your API key',
    description:
      'Returns who the API key is for, what it may do, its plan, its remaining quota and whether it is banned. Unmetered: it works over the limit and during a ban too.',
    success: shows('The quota status of the API key.', usageSchema, {
      key: { id: 4n, name: 'Web site of the shelter', scopes: ['adopt'], expiresAt: null },
      plan: 'free',
      minute: { limit: 60, remaining: 59, reset: 1_800_014_460 },
      day: { limit: 1_000, remaining: 940, reset: 1_800_057_600 },
      ban: null,
    }),
    async handle({ caller, quota }) {
      const { minute, day, bannedUntil } = quota;
      const { keyId, name, scopes, expiresAt } = caller;
      return {
        value: {
          key: {
            id: keyId,
            name,
            scopes: [...scopes],
            expiresAt: timeTextOrNull(expiresAt),
          },
          plan: caller.plan.name,
          minute: windowValue(minute),
          day: windowValue(day ?? minute),
          ban: bannedUntil === undefined ? null : { until: Math.ceil(bannedUntil / SECOND_MS) },
        },
      };
    },
  }),
});

export const keyUsageOperations = operationsNamed({
  getKeyUsage: defineOperation({
    ...onKey,
    method: 'GET',
    path: '/keys/{keyId}/usage',
    summary: 'Get the usage of an API key',
    description: `Returns what the key sent in each hour or day of UTC, from the oldest to the newest, with zeros where it sent nothing. A key and the keys that replace it are counted separately. Hours are kept for 7 days, days for 400. Requests to other instances may be missing for a second.`,
    queryParameters: usageQuery,
    success: shows(
      'The counts of each hour or day.',
      z.array(periodSchema).max(PERIODS_MAX).meta({
        id: 'KeyUsages',
        description: 'The requests of an API key by hour or day, from the oldest to the newest.',
      }),
      [
        { start: '2026-11-22T08:00:00.000Z', requests: 0, refused: 0, errors: 0 },
        { start: '2026-11-22T09:00:00.000Z', requests: 412, refused: 3, errors: 0 },
      ],
    ),
    async handle({ path, query, stamp }, { storage, usage }) {
      const range = rangeOf(query, stamp.at);
      const key = await storage.keys.find(path.keyId);
      const counted = await usage.list(NO_SUCH_KEY.orThrow(key).id, range);
      return { value: withEmptyPeriods(range, counted).map(periodValue) };
    },
  }),
});
