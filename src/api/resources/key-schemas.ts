import * as z from 'zod';
import {
  type ApiKey,
  callerOf,
  KEY_NAME_MAX,
  type KeySettings,
  SCOPES,
} from '../../domain/api-key.ts';
import type { Precondition } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import {
  KEY_STATUSES,
  type KeyRequest,
  keyStatus,
  requireActive,
} from '../../domain/key-lifecycle.ts';
import {
  ALL_PLAN_NAMES,
  changedPlan,
  numbersOnKey,
  PLAN_LIMIT_MAX,
  PLAN_NAMES,
  type Plan,
  type PlanProblem,
  planOf,
  requestedPlan,
} from '../../domain/plan.ts';
import type { WritableJson } from '../../http/json.ts';
import { type HandlerServices, Missing } from '../contract/operation.ts';
import { requireTag, tagOf } from '../contract/precondition.ts';
import {
  int64InPath,
  nameInBody,
  oneOf,
  timeInBody,
  wholeNumberInBody,
} from '../contract/request-fields.ts';
import {
  assignedIdOut,
  nameOut,
  recordOut,
  timeOut,
  timeText,
  timeTextOrNull,
  withTimeTexts,
} from '../contract/response-fields.ts';

/** A key as administrators see it, and its entity tag. */

export const KEY_NAME = 'Who the key is for.';

const limitOut = (description: string) =>
  z.int().min(0).meta({ description, format: 'int64', maximum: PLAN_LIMIT_MAX });

const keyFields = () => ({
  id: assignedIdOut('Unique identifier assigned by the service on creation.'),
  name: nameOut(KEY_NAME, KEY_NAME_MAX),
  plan: z
    .enum(ALL_PLAN_NAMES)
    .meta({ description: 'The plan, which sets the limits; `staff` is that of people.' }),
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).meta({
    description: 'What the key may do. Each scope includes those before it, except `webhooks`.',
  }),
  perMinute: limitOut('Requests that the key may send in a UTC minute.'),
  perDay: limitOut('Requests that the key may send in a UTC day.'),
  createdAt: timeOut('When the key was created'),
  expiresAt: timeOut('When the key ends; null for never').nullable(),
  revokedAt: timeOut('When the key was revoked, or null').nullable(),
  lastUsedAt: timeOut('When the key was last used, or null; up to a second late').nullable(),
  status: z.enum(KEY_STATUSES).meta({ description: 'Whether the key works.' }),
  ban: z
    .object({ until: timeOut('When the ban ends') })
    .nullable()
    .meta({ description: 'The current ban of the key and those it shares limits with, or null.' }),
});

export const keySchema = recordOut('Key', 'An API key, without the key itself.', keyFields);

export const issuedKeySchema = recordOut('IssuedKey', 'A new API key.', () => {
  const { id, ...otherFields } = keyFields();
  return {
    id,
    key: z.string().meta({
      description: 'The key itself. Save it now: it is not stored and cannot be shown again.',
      minLength: 52,
      maxLength: 52,
      pattern: '^petstore_(live|test)_[0-9A-Za-z]{38}$',
    }),
    ...otherFields,
  };
});

/** The key of the examples. */
export const SHOP = {
  id: 4n,
  name: 'Web site of the shelter',
  plan: 'pro',
  scopes: ['adopt'],
  perMinute: 300,
  perDay: 10_000,
  createdAt: '2026-11-21T15:04:05.000Z',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: '2026-11-22T09:30:00.000Z',
  status: 'active',
  ban: null,
};

export const NO_SUCH_KEY = new Missing('key_not_found', 'key');
export const aboutKeys = { access: 'admin', stability: 'beta', tag: 'Keys' } as const;
/** What the operations on a single key have in common. */
export const onKey = {
  ...aboutKeys,
  path: '/keys/{keyId}',
  pathParameters: z.object({ keyId: int64InPath('Id of the key.') }),
  missing: NO_SUCH_KEY,
} as const;

/** A key as the interface shows it. */
export type KeyValue = z.output<typeof keySchema>;

/** Returns the part of a key that only an administrator changes. */
function settingsValue(key: ApiKey) {
  const { name, plan, scopes, createdAt, expiresAt, revokedAt } = key;
  const { perMinute, perDay } = planOf(plan, key.perMinute, key.perDay);
  return {
    id: key.id,
    name,
    plan,
    scopes: [...scopes],
    perMinute,
    perDay,
    ...withTimeTexts({ createdAt, expiresAt, revokedAt }),
  };
}

/** Returns a key as the interface shows it. Times are in milliseconds since the Unix epoch. */
export function keyValue(key: ApiKey, now: number, bannedUntil: number | undefined): KeyValue {
  return {
    ...settingsValue(key),
    lastUsedAt: timeTextOrNull(key.lastUsedAt),
    status: keyStatus(key, now),
    ban: bannedUntil === undefined ? null : { until: timeText(bannedUntil) },
  };
}

/** The same, with the ban that the limiter knows. */
export async function currentKeyValue(
  key: ApiKey,
  now: number,
  limiter: HandlerServices['limiter'],
): Promise<KeyValue> {
  const { bannedUntil } = await limiter.peek(callerOf(key), now);
  return keyValue(key, now, bannedUntil);
}

/*
 * A key that is in use changes every second: its last use, and perhaps a ban. So the entity tag of a
 * key has two halves. As a whole it changes with the response, as every tag does, but If-Match compares
 * only the half of the settings. Otherwise nobody could change a busy key.
 */

/** Returns the half of an entity tag for a value. */
function half(value: WritableJson): string {
  return tagOf(value).slice(1, 9);
}

/** Returns the entity tag of a key. */
export function tagOfKey(key: ApiKey, { lastUsedAt, status, ban }: KeyValue): string {
  return `"${half(settingsValue(key))}${half({ lastUsedAt, status, ban })}"`;
}

const BOTH_HALVES = /"([0-9a-f]{8})[0-9a-f]{8}"/g;

/** Creates the precondition of If-Match: the settings are those that the client saw. */
export function requireSettingsMatch(ifMatch: string | null): Precondition<ApiKey> {
  return (current) => {
    if (ifMatch === null) return;
    requireTag(ifMatch.replaceAll(BOTH_HALVES, '"$1"'), [`"${half(settingsValue(current))}"`]);
  };
}

/** What requests about keys say, and what follows from it. */

const PLAN = 'The plan, which sets the limits. `enterprise` needs `perMinute` and `perDay`.';
const SCOPES_GIVEN = 'What the key may do. Each scope includes those before it, except `webhooks`.';

const limitInBody = (window: string) =>
  wholeNumberInBody(
    `Requests that the key may send in a UTC ${window}. Only for \`enterprise\`.`,
    1,
    PLAN_LIMIT_MAX,
  ).optional();

const scopesInBody = z
  .array(oneOf(SCOPES), { error: 'must be a list of scopes' })
  .min(1, { error: 'must name at least one scope' })
  .max(SCOPES.length, { error: `must name at most ${SCOPES.length} scopes` });

const limits = { perMinute: limitInBody('minute'), perDay: limitInBody('day') };

export const newKeySchema = z
  .object({
    name: nameInBody(KEY_NAME, KEY_NAME_MAX),
    plan: oneOf(PLAN_NAMES).meta({ description: PLAN }),
    ...limits,
    scopes: scopesInBody.optional().meta({ description: `${SCOPES_GIVEN} \`write\` if omitted.` }),
    expiresAt: timeInBody('When the key ends. Never if omitted').optional(),
  })
  .meta({ id: 'NewKey', description: 'An API key to create.' });

export const keyChangeSchema = z
  .object({
    name: nameInBody(KEY_NAME, KEY_NAME_MAX).optional(),
    plan: oneOf(PLAN_NAMES).optional().meta({ description: PLAN }),
    ...limits,
    scopes: scopesInBody.optional().meta({ description: SCOPES_GIVEN }),
    expiresAt: timeInBody('When the key ends. `null` for never').nullable().optional(),
  })
  .meta({ id: 'KeyChange', description: 'The changes to make to an API key.' });

/** A year of seconds. */
const OVERLAP_MAX_SECONDS = 31_536_000;

export const rotationSchema = z
  .object({
    overlapSeconds: wholeNumberInBody(
      'How long the old key keeps working, unless it ends sooner. A day if omitted.',
      0,
      OVERLAP_MAX_SECONDS,
    ).optional(),
  })
  .meta({ id: 'KeyRotation', description: 'How to replace an API key.' });

const PLAN_PROBLEMS: Record<PlanProblem, string> = {
  limits_missing: 'perMinute and perDay are required with the plan enterprise.',
  limits_not_allowed: 'perMinute and perDay must be left out, except with the plan enterprise.',
};

/** Throws `invalid_body` for limits that do not fit the plan. */
function fitting(plan: Plan | PlanProblem): Plan {
  if (typeof plan === 'string') throw new Failure('invalid_body', PLAN_PROBLEMS[plan]);
  return plan;
}

/** Throws `invalid_body` for a time that is over. */
function requireFuture(time: number, now: number): void {
  if (time > now) return;
  throw new Failure('invalid_body', 'expiresAt must be in the future.');
}

/** Returns the key to issue. Throws `invalid_body`. */
export function requestedKey(body: z.output<typeof newKeySchema>, now: number): KeyRequest {
  const { name, scopes = ['write'], expiresAt } = body;
  const plan = fitting(requestedPlan(body));
  if (expiresAt === undefined) return { name, scopes, plan };
  requireFuture(expiresAt, now);
  return { name, scopes, plan, lifetimeMs: expiresAt - now };
}

/** Returns the settings of a key after a change. Throws `conflict` or `invalid_body`. */
export function changedSettings(
  key: ApiKey,
  body: z.output<typeof keyChangeSchema>,
  now: number,
): KeySettings {
  requireActive(key, now);
  const { name = key.name, scopes = key.scopes, expiresAt = key.expiresAt } = body;
  const plan = fitting(changedPlan(planOf(key.plan, key.perMinute, key.perDay), body));
  const settings = { ...key, name, scopes, plan: plan.name, ...numbersOnKey(plan) };
  // The end of a rotated key says nothing about its lifetime.
  if (expiresAt === key.expiresAt) return settings;
  if (expiresAt !== null) requireFuture(expiresAt, now);
  return { ...settings, expiresAt, lifetimeMs: expiresAt && expiresAt - key.createdAt };
}
