import * as z from 'zod';
import type { WindowStatus } from '../../domain/allowance.ts';
import { BANNED_LOOKUPS } from '../../domain/allowance.ts';
import { KEY_NAME_MAX, SCOPES } from '../../domain/api-key.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { PLAN_NAMES } from '../../domain/plan.ts';
import { assignedIdOut, countOut, nameOut, timeOut, timeTextOrNull } from '../contract/fields.ts';
import { defineOperation, type Operation } from '../contract/operation.ts';
import { KEY_NAME } from './key-values.ts';

const seconds = (description: string) => countOut(`${description}, in Unix seconds.`);

const windowSchema = z
  .object({
    limit: countOut('Requests allowed in the window.'),
    remaining: countOut('Requests remaining in the window.'),
    reset: seconds('When the window ends'),
  })
  .meta({ id: 'UsageWindow', description: 'Quota status in one window of the plan.' });

const ownKeySchema = z
  .object({
    id: assignedIdOut('Id of the key.'),
    name: nameOut(KEY_NAME, KEY_NAME_MAX),
    scopes: z
      .array(z.enum(SCOPES))
      .max(SCOPES.length)
      .meta({ description: 'What the key may do. Each scope includes those before it.' }),
    expiresAt: timeOut('When the key ends; null for never').nullable(),
  })
  .meta({ id: 'OwnKey', description: 'The API key of the request.' });

const usageSchema = z
  .object({
    key: ownKeySchema,
    plan: z.enum(PLAN_NAMES).meta({ description: 'The plan of the API key.' }),
    minute: windowSchema,
    day: windowSchema,
    ban: z
      .object({ until: seconds('When the ban ends') })
      .nullable()
      .meta({ description: 'The current ban, or null.' }),
  })
  .meta({ id: 'Usage', description: 'The quota status of an API key.' });

function windowValue({ limit, remaining, resetsAt }: WindowStatus) {
  return { limit, remaining, reset: Math.ceil(resetsAt / SECOND_MS) };
}

const getUsage = defineOperation({
  id: 'getUsage',
  method: 'GET',
  path: '/usage',
  access: 'read',
  stability: 'beta',
  unmetered: true,
  tag: 'Usage',
  summary: 'Get the usage of your API key',
  description: `Returns who the API key is for, what it may do, its plan, its remaining quota and whether it is banned. Unmetered: it works over the limit too, and during a ban at most ${BANNED_LOOKUPS} times a minute.`,
  success: {
    status: 200,
    description: 'The quota status of the API key.',
    schema: usageSchema,
    example: {
      key: { id: 4n, name: 'Web site of the shelter', scopes: ['adopt'], expiresAt: null },
      plan: 'free',
      minute: { limit: 60, remaining: 59, reset: 1_800_014_460 },
      day: { limit: 1_000, remaining: 940, reset: 1_800_057_600 },
      ban: null,
    },
    headers: ['ETag'],
  },
  failures: {},
  handle({ caller, quota }) {
    const { minute, day, bannedUntil } = quota;
    const { keyId, name, scopes, expiresAt } = caller;
    return {
      status: 200,
      value: {
        key: {
          ...{ id: keyId, name, scopes: [...scopes] },
          expiresAt: timeTextOrNull(expiresAt),
        },
        plan: caller.plan.name,
        minute: windowValue(minute),
        day: windowValue(day ?? minute),
        ban: bannedUntil === undefined ? null : { until: Math.ceil(bannedUntil / SECOND_MS) },
      },
    };
  },
});

export const usageOperations: readonly Operation[] = [getUsage];
