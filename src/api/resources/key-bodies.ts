import * as z from 'zod';
import { type ApiKey, KEY_NAME_MAX, type KeySettings, SCOPES } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';
import type { KeyRequest } from '../../domain/key-issuance.ts';
import { requireActive } from '../../domain/key-lifecycle.ts';
import {
  changedPlan,
  numbersOnKey,
  PLAN_LIMIT_MAX,
  PLAN_NAMES,
  type Plan,
  type PlanProblem,
  planOf,
  requestedPlan,
} from '../../domain/plan.ts';
import { timeInBody, wholeNumberInBody } from '../contract/bounded-fields.ts';
import { nameInBody, oneOf } from '../contract/fields.ts';
import { KEY_NAME } from './key-values.ts';

/** What requests about keys say, and what follows from it. */

const PLAN = 'The plan, which sets the limits. `enterprise` needs `perMinute` and `perDay`.';
const SCOPES_GIVEN = 'What the key may do. Each scope includes those before it.';

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
